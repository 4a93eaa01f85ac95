// SPDX-License-Identifier: Apache-2.0
//
// Fast form of every operation that is a list of pieces (see movement.h).

#include "kernels/registry.h"
#include "kernels/support/copy.h"

namespace npu::kernels {

namespace {
class PiecesFast : public Kernel {
public:
  PiecesFast(const Problem &p, const std::vector<Piece> &pieces)
      : plans(makePlans(pieces, dtypeBytes(p.outputs[0].dtype))),
        inputs(p.inputs.size()), threads(p.threads) {}

  std::string implementation() const override { return "native:copy"; }

  int run(void *const *operands, void *) const override {
    runPlans(plans, operands, operands[inputs], threads);
    return 0;
  }

private:
  std::vector<CopyPlan> plans;
  size_t inputs;
  int threads;
};
} // namespace

std::unique_ptr<Kernel> createPiecesFast(const Problem &problem,
                                         std::string &whyNot) {
  if (!problem.instrs.empty()) {
    whyNot = "fused instructions";
    return nullptr;
  }
  std::vector<Piece> pieces = makePieces(problem, problem.outputs[0], whyNot);
  if (!whyNot.empty())
    return nullptr;
  for (Piece &padding : paddingPieces(problem.outputs[0]))
    pieces.push_back(std::move(padding));
  return std::make_unique<PiecesFast>(problem, pieces);
}

} // namespace npu::kernels
