// A graph that takes longer than it may is named and written, alone and among
// others, and by its command it is named again.
// RUN: rm -rf %t
// RUN: not layout-fuzz --seed=41100468 --graphs=1 --hang-seconds=0.1 --shrink-seconds=0 --folder=%t/one 2>&1 | FileCheck %s
// RUN: not layout-fuzz --seed=41100465 --graphs=6 --jobs=2 --hang-seconds=0.1 --shrink-seconds=1 --folder=%t/many > %t/many.txt 2>&1
// RUN: FileCheck %s --check-prefix=MANY < %t/many.txt
// RUN: not layout-fuzz --replay=%t/one/hangs-41100468/graph.mlir --target=npu-nchw --hang-seconds=0.1 2>&1 | FileCheck %s --check-prefix=AGAIN
// CHECK: 1 findings
// CHECK: seed 41100468: hangs
// CHECK: takes more than 100 ms
// CHECK: layout-fuzz --replay={{.*}}hangs-41100468/graph.mlir
// MANY: seed 41100468: hangs
// AGAIN: hangs: takes more than 100 ms
