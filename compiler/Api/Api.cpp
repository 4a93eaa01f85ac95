// SPDX-License-Identifier: Apache-2.0
//
// npuc.h over a Session: every exception ends here, as a status.
#include "compiler/Api/Output.h"
#include "compiler/Driver/Session.h"
#include "files/shown_text.h"
#include "npuc/npuc.h"

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

using namespace npu;

static_assert(int(NPUC_STAGE_PROGRAM) == int(Stage::Program) &&
                  int(NPUC_REMARK) == int(Severity::Remark),
              "npuc.h and the compiler number stages and severities alike");

struct npuc_options {
  std::vector<std::string> words; // "--target=npu-nhwc"
};

struct npuc_compilation {
  npuc_compilation(DriverOptions options, const npuc_request &request,
                   std::unique_ptr<MemoryOutput> memory)
      : wanted(request.wanted), onMessage(request.on_message),
        user(request.user), memory(std::move(memory)),
        session(std::move(options), [this](const Message &m) { tell(m); }) {}

  void tell(const Message &message);

  uint32_t wanted;
  npuc_on_message onMessage;
  void *user;
  std::string firstError;
  std::unique_ptr<MemoryOutput> memory; // of a request without a file
  Session session;
  int stagesRun = 0;
  npuc_code code = NPUC_OK;
  std::array<std::string, NPUC_TEXT_COSTS + 1> texts;
};

namespace {

constexpr int textCount = NPUC_TEXT_COSTS + 1;

struct Failure {
  npuc_code code;
  std::string message;
};

npuc_code report(npuc_status *status, npuc_code code, const char *message) {
  if (!status)
    return code;
  status->code = code;
  std::strncpy(status->message, message, sizeof(status->message) - 1);
  status->message[sizeof(status->message) - 1] = '\0';
  return code;
}

/// Runs `body`; whatever it throws becomes the status.
template <class Body>
npuc_code guarded(npuc_status *status, Body body) {
  try {
    body();
    return report(status, NPUC_OK, "");
  } catch (const Failure &failure) {
    return report(status, failure.code, failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return report(status, NPUC_OUT_OF_MEMORY,
                  "there is no memory left; give it more, or a smaller model");
  } catch (const std::exception &error) {
    return report(status, NPUC_INTERNAL, error.what());
  } catch (...) {
    return report(status, NPUC_INTERNAL, "an unknown error");
  }
}

void require(bool holds, const char *sentence) {
  if (!holds)
    throw Failure{NPUC_BAD_ARGUMENT, sentence};
}

npuc_code codeOf(CompileStatus status) {
  switch (status) {
  case CompileStatus::Ok:
    return NPUC_OK;
  case CompileStatus::BadModel:
    return NPUC_BAD_MODEL;
  case CompileStatus::Unsupported:
    return NPUC_UNSUPPORTED;
  case CompileStatus::BadOptions:
  case CompileStatus::BadInput:
    return NPUC_BAD_OPTIONS;
  case CompileStatus::CannotWrite:
    return NPUC_CANNOT_WRITE;
  case CompileStatus::OverBudget:
    return NPUC_OVER_BUDGET;
  }
  return NPUC_INTERNAL;
}

/// The caller's struct, as long as it is, in ours.
npuc_request copyOf(const npuc_request &given) {
  if (given.struct_size < offsetof(npuc_request, model_data) ||
      given.struct_size > sizeof(npuc_request))
    throw Failure{NPUC_BAD_ARGUMENT,
                  "npuc_request has a struct_size of " +
                      std::to_string(given.struct_size) + ", expected up to " +
                      std::to_string(sizeof(npuc_request)) +
                      "; set it to sizeof(npuc_request), of this library's "
                      "npuc.h"};
  npuc_request request = {};
  std::memcpy(&request, &given, given.struct_size);
  require(request.model && *request.model,
          "npuc_request needs a model: its file, or the name of its data");
  require(request.model_data || request.model_bytes == 0,
          "npuc_request has model_bytes, but no model_data");
  require(request.wanted < NPUC_WANT_CERTIFICATE * 2U,
          "npuc_request wants what this library does not know");
  require(!request.output || *request.output,
          "npuc_request has an empty name of an output; NULL leaves it in "
          "memory");
  return request;
}

void addLayoutRule(const npuc_request &request, LayoutOptions &layout) {
  if (layout.strategy != "convert" && layout.strategy != "alter")
    throw Failure{NPUC_BAD_OPTIONS,
                  "a layout rule is asked by --layout=convert and "
                  "--layout=alter, not by '" +
                      layout.strategy + "'"};
  layout.decision.rule = [ask = request.layout_rule, user = request.user](
                             const npuc_op &op,
                             SmallVector<std::string> &layouts) {
    ask(
        user, &op,
        [](void *answers, const char *text) {
          static_cast<SmallVector<std::string> *>(answers)->push_back(
              text ? text : "");
        },
        &layouts);
  };
}

DriverOptions readRequest(const npuc_options *options,
                          const npuc_request &request) {
  DriverOptions driver;
  CompileOptions &compile = driver.compile;
  compile.model = request.model;
  if (request.model_data)
    compile.import.bytes =
        StringRef(static_cast<const char *>(request.model_data),
                  static_cast<size_t>(request.model_bytes));
  driver.wantsReport = request.wanted & NPUC_WANT_REPORT;
  driver.wantsExplanation = request.wanted & NPUC_WANT_EXPLAIN_LAYOUT;
  driver.wantsPlan = request.wanted & NPUC_WANT_LAYOUT_PLAN;
  driver.wantsCertificate = request.wanted & NPUC_WANT_CERTIFICATE;
  std::string wrong = readOptions(
      options ? options->words : std::vector<std::string>(), driver);
  if (!wrong.empty())
    throw Failure{NPUC_BAD_OPTIONS, wrong};
  if (request.layout_rule)
    addLayoutRule(request, compile.layout);
  if (request.on_step)
    compile.onStage = [step = request.on_step, user = request.user](
                          StringRef name) { step(user, name.str().c_str()); };
  return driver;
}

/// The text, or the sentence that says what is missing for it.
std::string makeText(npuc_compilation &compilation, npuc_text what) {
  Session &session = compilation.session;
  auto need = [&](npuc_stage stage, uint32_t wanted) {
    if (compilation.stagesRun <= int(stage))
      throw Failure{NPUC_BAD_ARGUMENT,
                    std::string("this text is there after the stage '") +
                        npuc_stage_name(stage) +
                        "', which has not run; call npuc_compilation_run"};
    require((compilation.wanted & wanted) == wanted,
            "this text was not asked for; add it to npuc_request.wanted");
  };
  switch (what) {
  case NPUC_TEXT_IR:
  case NPUC_TEXT_OUTLINE:
    need(NPUC_STAGE_IMPORTED, 0);
    return session.irText(what == NPUC_TEXT_OUTLINE);
  case NPUC_TEXT_REPORT:
    need(NPUC_STAGE_LAYOUT, 0);
    return session.reportText();
  case NPUC_TEXT_EXPLAIN_LAYOUT:
    need(NPUC_STAGE_LAYOUT, NPUC_WANT_EXPLAIN_LAYOUT);
    return session.layoutText();
  case NPUC_TEXT_EXPLAIN_PLACEMENT:
    need(NPUC_STAGE_FUSED, 0);
    return session.placementText();
  case NPUC_TEXT_LAYOUT_PLAN:
    need(NPUC_STAGE_LAYOUT, NPUC_WANT_LAYOUT_PLAN);
    return session.report().layoutPlan;
  case NPUC_TEXT_COSTS:
    need(NPUC_STAGE_PLANNED, 0);
    return session.report().costTable;
  case NPUC_TEXT_CERTIFICATE:
    need(NPUC_STAGE_LAYOUT, NPUC_WANT_CERTIFICATE);
    break;
  }
  std::string certificate = session.certificate();
  if (certificate.empty())
    throw Failure{NPUC_UNPROVED, compilation.firstError};
  return certificate;
}

/// The output gets its name, or its place in memory.
std::string finish(npuc_compilation &compilation) {
  std::string wrong = compilation.session.files.commit();
  if (wrong.empty() && compilation.memory)
    wrong = compilation.memory->map();
  return wrong;
}

} // namespace

void npuc_compilation::tell(const Message &message) {
  std::string shown = files::shownMessage(message.withPlace());
  if (message.severity == Severity::Error && firstError.empty())
    firstError = shown;
  if (!onMessage)
    return;
  npuc_message given = {sizeof(npuc_message),
                        static_cast<npuc_severity>(message.severity),
                        message.text.c_str(),
                        message.file.c_str(),
                        message.node.c_str(),
                        static_cast<int32_t>(message.line),
                        static_cast<int32_t>(message.column),
                        shown.c_str()};
  onMessage(user, &given);
}

const char *npuc_version(void) { return NPU_VERSION; }

const char *npuc_stage_name(int32_t stage) {
  bool isKnown = stage >= 0 && stage <= NPUC_STAGE_PROGRAM;
  return isKnown ? stageNames()[stage].data() : nullptr;
}

const char *npuc_option_names(void) {
  static const std::string names = optionNames();
  return names.c_str();
}

const char *npuc_option_table(void) {
  static const std::string table = optionTable();
  return table.c_str();
}

npuc_code npuc_options_create(npuc_options **options, npuc_status *status) {
  return guarded(status, [&] {
    require(options, "npuc_options_create needs a result, got null");
    *options = nullptr;
    *options = new npuc_options;
  });
}

void npuc_options_free(npuc_options *options) { delete options; }

npuc_code npuc_options_set(npuc_options *options, const char *name,
                           const char *value, npuc_status *status) {
  return guarded(status, [&] {
    require(options && name && value,
            "npuc_options_set needs options, a name and a value, got null");
    if (!isOption(name))
      throw Failure{NPUC_BAD_OPTIONS, files::shownMessage(unknownOption(name))};
    options->words.push_back("--" + std::string(name) + "=" + value);
  });
}

npuc_code npuc_compilation_create(const npuc_options *options,
                                  const npuc_request *request,
                                  npuc_compilation **compilation,
                                  npuc_status *status) {
  return guarded(status, [&] {
    require(request && compilation,
            "npuc_compilation_create needs a request and a result, got null");
    *compilation = nullptr;
    npuc_request copy = copyOf(*request);
    DriverOptions driver = readRequest(options, copy);
    std::unique_ptr<MemoryOutput> memory;
    if (!copy.output) {
      memory = std::make_unique<MemoryOutput>();
      std::string wrong = memory->makeFolder();
      if (!wrong.empty())
        throw Failure{NPUC_CANNOT_WRITE, wrong};
    }
    driver.compile.output = copy.output ? copy.output : memory->path();
    auto made = std::make_unique<npuc_compilation>(std::move(driver), copy,
                                                   std::move(memory));
    if (!made->session.declareFiles())
      throw Failure{NPUC_BAD_OPTIONS, made->firstError};
    *compilation = made.release();
  });
}

void npuc_compilation_free(npuc_compilation *compilation) {
  delete compilation;
}

npuc_code npuc_compilation_run(npuc_compilation *compilation, npuc_stage last,
                               npuc_status *status) {
  return guarded(status, [&] {
    require(compilation, "npuc_compilation_run needs a compilation, got null");
    require(npuc_stage_name(last), "npuc_compilation_run got no npuc_stage");
    npuc_compilation &one = *compilation;
    if (one.code == NPUC_OK && one.stagesRun <= int(last)) {
      one.code = codeOf(one.session.run(static_cast<Stage>(last)));
      if (one.code == NPUC_OK)
        one.stagesRun = int(last) + 1;
      if (one.code == NPUC_OK && last == NPUC_STAGE_PROGRAM) {
        one.firstError = finish(one);
        one.code = one.firstError.empty() ? NPUC_OK : NPUC_CANNOT_WRITE;
      }
    }
    if (one.code != NPUC_OK)
      throw Failure{one.code, one.firstError};
  });
}

npuc_code npuc_compilation_text(npuc_compilation *compilation, npuc_text what,
                                const char **text, uint64_t *bytes,
                                npuc_status *status) {
  return guarded(status, [&] {
    require(compilation && text,
            "npuc_compilation_text needs a compilation and a result, got null");
    require(int(what) >= 0 && int(what) < textCount,
            "npuc_compilation_text got no npuc_text");
    std::string &kept = compilation->texts[what];
    kept = makeText(*compilation, what);
    *text = kept.c_str();
    if (bytes)
      *bytes = kept.size();
  });
}

npuc_code npuc_compilation_output(npuc_compilation *compilation,
                                  const void **data, uint64_t *bytes,
                                  npuc_status *status) {
  return guarded(status, [&] {
    require(compilation && data && bytes,
            "npuc_compilation_output needs a compilation and results");
    const MemoryOutput *memory = compilation->memory.get();
    require(memory, "the output went to the file that npuc_request names");
    require(memory->isMapped(),
            "there is no output yet; run the stage 'program' first");
    *data = memory->data();
    *bytes = memory->bytes();
  });
}
