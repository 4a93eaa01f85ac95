# SPDX-License-Identifier: Apache-2.0
# Everything a person types. CMake builds; this file installs, then calls it.
# All that is made or downloaded lands in build/ (and build-asan/, build-tsan/, build-fuzz/).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.NOTPARALLEL:

BUILD ?= build
VENV ?= $(BUILD)/venv
VENV_KERAS ?= $(BUILD)/venv-keras
VENV_TOSA ?= $(BUILD)/venv-tosa
VENV_TORCH ?= $(BUILD)/venv-torch
JOBS ?= $(shell nproc)
BENCH_MODELS ?= resnet50 mobilenet_v2 mobilenet_v3_large ppocr_det
FUZZ_SECONDS ?= 60
# Sanitizers take three times the memory, and ten times the time.
SANITIZED := --run-seconds=100 --memory=5000000000 --keep=$(BUILD)-asan-compiler/mutation-findings
NETWORKS := resnet50 vgg16 mobilenet_v2 densenet121 inception_v3 mobilenet_v3_large ppocr_det \
  mobilenet_v2_tflite mobilenet_v2_tflite_int8 resnet50_qdq mobilenet_v2_qdq
FULL_NETWORKS := resnet101
SMALL_NETWORKS := efficientnet_b0 convnext_tiny nasnet_mobile unet vit audio video yolo vit_timm two_tower ppocr_rec \
  minilm_l3 minilm_l3_int4 minilm_l6_int8 t5_encoder_int8 t5_decoder_int8 magika

PY := $(abspath $(VENV))/bin/python
CONFIGURE := CC=clang-22 CXX=clang++-22 cmake -G Ninja -S . -DNPU_VENV=$(abspath $(VENV))
CTEST := ctest --output-on-failure --no-tests=error -j $(JOBS)
export NPU_MODELS := $(abspath $(BUILD))/models
export NPU_VENV_KERAS := $(abspath $(VENV_KERAS))
export NPU_VENV_TOSA := $(abspath $(VENV_TOSA))

DEBIAN_STAMP := $(BUILD)/.debian-packages
DEV_STAMP := $(BUILD)/.debian-packages-dev
VENV_STAMP := $(VENV)/.requirements
KERAS_STAMP := $(VENV_KERAS)/.requirements
TOSA_STAMP := $(VENV_TOSA)/.requirements
TORCH_STAMP := $(VENV_TORCH)/.requirements

.PHONY: help deps deps-keras deps-tosa deps-torch build programs test quick soak demo bench bench-autonhwc bench-search bench-compile bench-kernels models asan tsan wheel fuzz format lint clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- what is missing -------------------------------------------------------

deps: $(DEBIAN_STAMP) $(VENV_STAMP) ## install Debian packages (as root) and the Python environment build/venv

deps-keras: $(DEBIAN_STAMP) $(KERAS_STAMP) ## install TensorFlow and Keras into build/venv-keras (exports networks)

deps-tosa: $(DEBIAN_STAMP) $(TOSA_STAMP) ## install TOSA's reference model into build/venv-tosa (tests compare with it)

deps-torch: $(DEBIAN_STAMP) $(TORCH_STAMP) ## install PyTorch into build/venv-torch: 6 GB (`make soak` compiles its networks)

$(DEBIAN_STAMP): setup/debian-packages.txt setup/install-debian.sh
	@mkdir -p $(BUILD)
	@setup/install-debian.sh setup/debian-packages.txt
	@touch $@

$(DEV_STAMP): setup/debian-packages-dev.txt setup/install-debian.sh
	@mkdir -p $(BUILD)
	@setup/install-debian.sh setup/debian-packages-dev.txt
	@touch $@

$(VENV_STAMP): setup/requirements.txt setup/install-python.sh | $(DEBIAN_STAMP)
	@setup/install-python.sh $(VENV) setup/requirements.txt
	@touch $@

$(KERAS_STAMP): setup/requirements-keras.txt setup/install-python.sh | $(DEBIAN_STAMP)
	@setup/install-python.sh $(VENV_KERAS) setup/requirements-keras.txt
	@touch $@

$(TOSA_STAMP): setup/requirements-tosa.txt setup/install-python.sh | $(DEBIAN_STAMP)
	@setup/install-python.sh $(VENV_TOSA) setup/requirements-tosa.txt
	@touch $@

$(TORCH_STAMP): setup/requirements-torch.txt setup/install-python.sh | $(DEBIAN_STAMP)
	@setup/install-python.sh $(VENV_TORCH) setup/requirements-torch.txt
	@touch $@

# --- build -----------------------------------------------------------------

build: deps $(BUILD)/build.ninja ## build the programs into build/bin
	@cmake --build $(BUILD) -j $(JOBS)

programs: deps $(BUILD)/build.ninja ## build what a user calls, without tests and benchmarks
	@cmake --build $(BUILD) -j $(JOBS) --target programs

$(BUILD)/build.ninja: | deps
	@$(CONFIGURE) -B $(BUILD)

# --- test ------------------------------------------------------------------

# One process exports networks, beside the compilers: nothing is idle then.
test: deps deps-keras deps-tosa ## all tests (what CI runs)
	@$(MAKE) --no-print-directory models & models=$$!; \
	  $(MAKE) --no-print-directory build asan || { status=$$?; kill $$models 2>/dev/null; exit $$status; }; \
	  wait $$models || { echo "make models failed, see above" >&2; exit 1; }
	@$(CTEST) --test-dir $(BUILD)

quick: build ## the tests that take seconds
	@$(CTEST) --test-dir $(BUILD) -L quick

soak: build models asan deps-torch ## what repeats by the thousand: hours; `make test` has a sample of each
	@$(CTEST) --test-dir $(BUILD) -C Soak -L soak --verbose
	@$(VENV_TORCH)/bin/python test/python/torch_test.py --build=$(BUILD)
	@test -f $(BUILD)-asan-compiler/build.ninja || $(CONFIGURE) -B $(BUILD)-asan-compiler \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DNPU_SANITIZE=ON
	@cmake --build $(BUILD)-asan-compiler -j $(JOBS) --target mutated-tools
	@for build in $(BUILD) $(BUILD)-asan; do NPU_EVERY_CASE=1 $(CTEST) --test-dir $$build -L sampled --timeout 7200 || exit 1; done
	@$(MAKE) --no-print-directory tsan
	@$(PY) test/mutation/mutate.py --build=$(BUILD)-asan-compiler --kind=onnx --count=20000 $(SANITIZED)
	@$(PY) test/mutation/mutate.py --build=$(BUILD)-asan-compiler --kind=mlir --kind=yaml --kind=json --kind=npy \
	  --count=5000 $(SANITIZED)
	@$(PY) test/mutation/mutate.py --build=$(BUILD)-asan-compiler --kind=tflite --count=3000 $(SANITIZED)

models: deps deps-keras ## make the networks that tests and benchmarks use (build/models)
	@$(PY) bench/models/get_model.py $(NETWORKS) $(FULL_NETWORKS)
	@$(PY) bench/models/get_model.py --small $(NETWORKS) $(SMALL_NETWORKS)

asan: deps ## runtime, kernel and loader tests under AddressSanitizer and UBSan
	@test -f $(BUILD)-asan/build.ninja || $(CONFIGURE) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DNPU_SANITIZE=ON -DNPU_BUILD_COMPILER=OFF
	@cmake --build $(BUILD)-asan -j $(JOBS)
	@$(CTEST) --test-dir $(BUILD)-asan -LE style

tsan: deps ## teams, and compiling and running in 8 threads at once, under ThreadSanitizer (`make soak` does, too)
	@test -f $(BUILD)-tsan/build.ninja || $(CONFIGURE) -B $(BUILD)-tsan -DNPU_TSAN=ON
	@cmake --build $(BUILD)-tsan -j $(JOBS) --target kernel-team-test npuc-api-threads-test
	@$(BUILD)-tsan/bin/kernel-team-test
	@TSAN_OPTIONS="suppressions=$(CURDIR)/test/compiler/Api/tsan.supp halt_on_error=1 report_mutex_bugs=0" \
	  $(BUILD)-tsan/bin/npuc-api-threads-test

fuzz: deps ## let every fuzz target run for FUZZ_SECONDS (60; 0: without end)
	@test -f $(BUILD)-fuzz/build.ninja || $(CONFIGURE) -B $(BUILD)-fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DNPU_SANITIZE=ON -DNPU_FUZZ=ON
	@cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzzers
	@$(PY) test/fuzz/seeds.py $(BUILD)-fuzz/seeds
	@PYTHON=$(PY) setup/run-fuzzers.sh $(BUILD)-fuzz $(FUZZ_SECONDS)

wheel: build ## a Python wheel of npuc with all it needs, in build/wheel
	@python/wheel/make-wheel.sh $(BUILD) $(VENV) $(BUILD)/wheel

# --- see what it does ------------------------------------------------------

demo: programs ## a trained text detector on a real picture, in four layouts
	@$(PY) bench/demo/demo.py --build $(BUILD) $(if $(PICTURE),--picture "$(PICTURE)")

bench: build models ## compare layouts with onnxruntime and OpenVINO (BENCH_MODELS="...")
	@$(BUILD)/bin/npu-bench $(BENCH_MODELS) --batch=1,16 --peers=onnxruntime,openvino \
	  --json=$(BUILD)/bench.json --chart=$(BUILD)/bench.png

bench-autonhwc: build models ## AutoNHWC's published experiment: ResNet-101, batch 16, 32, 64
	@$(BUILD)/bin/npu-bench resnet101 --batch=16,32,64 \
	  --plans=npu-nchw/none,npu-nhwc/naive,npu-nhwc/auto-nhwc \
	  --json=$(BUILD)/autonhwc.json --chart=$(BUILD)/autonhwc.png --markdown=$(BUILD)/autonhwc.md

bench-search: build ## time the exact layout search on graphs of up to 10,000 ops
	@$(BUILD)/bin/layout-search-bench --json=$(BUILD)/search.json
	@$(PY) bench/search/random_network.py --npuc=$(BUILD)/bin/npuc --json=$(BUILD)/search-networks.json

bench-compile: build ## time the layout stage and whole compilations on chains of up to 100,000 ops
	@$(BUILD)/bin/compile-bench --benchmark_out=$(BUILD)/compile.json

bench-kernels: build ## GFLOP/s and GB/s of every kind of kernel in each layout
	@$(BUILD)/bin/kernel-bench --benchmark_out=$(BUILD)/kernels.json

# --- keep it tidy ----------------------------------------------------------

format: $(DEBIAN_STAMP) $(DEV_STAMP) ## format C++ and CMake files
	@git ls-files '*.c' '*.h' '*.cpp' | xargs --no-run-if-empty clang-format-22 -i
	@git ls-files '*CMakeLists.txt' '*.cmake' | xargs --no-run-if-empty cmake-format -i

lint: build $(DEV_STAMP) ## style tests and clang-tidy on what differs from main
	@$(CTEST) --test-dir $(BUILD) -L style
	@git ls-files '*CMakeLists.txt' '*.cmake' | xargs --no-run-if-empty cmake-format --check
	@git diff --name-only --diff-filter=d main -- '*.cpp' | xargs --no-run-if-empty clang-tidy-22 -p $(BUILD) --quiet

clean: ## remove what was built (environments and networks stay)
	@rm -rf $(BUILD)-asan $(BUILD)-asan-compiler $(BUILD)-tsan $(BUILD)-fuzz
	@test ! -d $(BUILD) || find $(BUILD) -mindepth 1 -maxdepth 1 \
	  ! -name venv ! -name venv-keras ! -name models ! -name '.debian-packages*' -exec rm -rf {} +

distclean: ## remove everything that was made or downloaded
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-asan-compiler $(BUILD)-tsan $(BUILD)-fuzz
