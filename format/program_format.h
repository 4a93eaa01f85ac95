/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between npuc (which writes a .npu file), the code inside the
 * file and the runtime (which loads and runs it). Plain C99, no dependency but
 * stdint. Every number here is on disk: never renumber, only append, and raise
 * NPU_FORMAT_VERSION when an older runtime could misread a newer file.
 *
 * A .npu file is an ELF shared object without undefined symbols, followed by
 * the manifest (JSON, see docs/program-format.md), perhaps the chip's program
 * (docs/chip-program.md) and an npu_footer. The ELF exports one symbol,
 * NPU_PROGRAM_SYMBOL, of type npu_program.
 */
#ifndef NPU_FORMAT_PROGRAM_FORMAT_H
#define NPU_FORMAT_PROGRAM_FORMAT_H

#include <stdint.h>

/* C names; and an enumerator in parentheses is no enumerator.
 * NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses) */
#ifdef __cplusplus
extern "C" {
#define NPU_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define NPU_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#define NPU_FORMAT_VERSION 18u
#define NPU_PROGRAM_MAGIC "NPUPROG\n" /* 8 bytes, no terminator */
#define NPU_FOOTER_MAGIC "NPUFOOT\n"  /* 8 bytes, no terminator */
#define NPU_PROGRAM_SYMBOL "npu_program"
#define NPU_MAX_RANK 8
#define NPU_MAX_BLOCKS 8
#define NPU_MAX_SPATIAL 3
/* Alignment in bytes of the arena, of each value in it, and of each weight. */
#define NPU_VALUE_ALIGNMENT 64
#define NPU_WEIGHTS_ALIGNMENT 4096

/* Element types. NPU_BOOL is one byte, 0 or 1. */
typedef enum npu_dtype {
  NPU_F32 = 0,
  NPU_F16 = 1,
  NPU_BF16 = 2,
  NPU_I8 = 3,
  NPU_U8 = 4,
  NPU_I32 = 5,
  NPU_I64 = 6,
  NPU_BOOL = 7,
  NPU_I16 = 8,
  NPU_F64 = 9, /* is moved, compared and converted, nothing else */
  NPU_U16 = 10,
  NPU_U32 = 11,
  NPU_U64 = 12,
  NPU_DTYPE_COUNT = 13
} npu_dtype;

/* Kinds of kernel. The operands (inputs first, then results) of each kind:
 *   CONV, CONV_TRANSPOSE  data [N,C,spatial], weight [O,I/groups,spatial],
 *                         optional bias [O] (attrs.conv.has_bias), extras
 *   CONV_WINOGRAD         data [N,C,H,W], weight [O,C,tile+2,tile+2] as
 *                         WINOGRAD_WEIGHT gives it, optional bias [O]
 *                         (attrs.winograd.has_bias), extras
 *   WINOGRAD_WEIGHT       weight [O,C,3,3]; the result is the filter at the
 *                         points 0, 1, -1, infinity (tile 2) or 0, 3/4, -3/4,
 *                         3/2, -3/2, infinity (tile 4) of rows and columns
 *   CONV_BPW              data [N,I,spatial], gradient [N,O,spatial]; the
 *                         result is [O,I/groups,spatial]
 *   MAX_POOL, AVG_POOL    data [N,C,spatial]
 *   IMG2COL               data [N,C,spatial] (attrs.pool); the result is
 *                         [N,C*window,spatial]
 *   UNPOOL                data [N,C,spatial]; attrs.pool.kernel, each element
 *                         at the first place of its window, 0 elsewhere
 *   MASKUNPOOL            data, indices of its shape: row-major places in the
 *                         result, which is 0 elsewhere
 *   TENSORNORM            data, scale, optional bias (attrs.norm.has_bias),
 *                         both broadcast to the data, extras
 *   MATMUL                a [...,M,K], b [...,K,N] (batch dims broadcast),
 *                         extras. Of f32 data b may be packed (attrs.matmul):
 *                         of rank 2, in a type of 8 or 16 bits, scales and
 *                         zero points behind it
 *   ATTENTION             query [...,H,M,D], key [...,G,N,D], value [...,G,N,V]
 *                         (H / G heads share one), optional mask, broadcast to
 *                         [...,H,M,N] (attrs.attention.has_mask; of bf16 it
 *                         may be f32), extras; the result is [...,H,M,V]
 *   ELTWISE               any number, broadcast to the result's shape
 *   GATHER_ELEMENTS       data, indices of the result's shape
 *   GATHER_ND             data, indices [...,depth]
 *   SCATTER_ELEMENTS, SCATTER_ND  data, indices, updates
 *   CUSTOM                as its plugin says; no extras
 *   others                see the attribute structs below
 * "extras" are further inputs that only the instructions read. */
typedef enum npu_op {
  NPU_OP_ELTWISE = 0,
  NPU_OP_CONV = 1,
  NPU_OP_CONV_TRANSPOSE = 2,
  NPU_OP_MAX_POOL = 3,
  NPU_OP_AVG_POOL = 4,
  NPU_OP_MATMUL = 5,
  NPU_OP_CONCAT = 6,
  NPU_OP_PAD = 7,
  NPU_OP_SLICE = 8,
  NPU_OP_REDUCE = 9,
  NPU_OP_SOFTMAX = 10,
  NPU_OP_RESIZE = 11,
  NPU_OP_GATHER = 12,
  NPU_OP_RELAYOUT = 13,  /* same logical tensor, another layout */
  NPU_OP_TRANSPOSE = 14, /* logical permutation that moves data */
  NPU_OP_RESHAPE = 15,   /* logical reshape that moves data */
  NPU_OP_BROADCAST = 16, /* expand unit dimensions, aligned at the right */
  NPU_OP_GATHER_ELEMENTS = 17,
  NPU_OP_GATHER_ND = 18,
  NPU_OP_SCATTER_ELEMENTS = 19,
  NPU_OP_SCATTER_ND = 20,
  NPU_OP_MAX_POOL_INDICES = 21, /* where the maxima lie in the data */
  NPU_OP_TOP_K = 22,            /* where the largest elements lie */
  NPU_OP_CUMULATE = 23,
  NPU_OP_CONV_WINOGRAD = 24,   /* 3x3, stride 1, by Winograd's algorithm */
  NPU_OP_WINOGRAD_WEIGHT = 25, /* its weight from that of CONV */
  NPU_OP_CONV_BPW = 26,        /* gradient of CONV by its weight */
  NPU_OP_IMG2COL = 27,
  NPU_OP_UNPOOL = 28,
  NPU_OP_MASKUNPOOL = 29,
  NPU_OP_ROTATE = 30,
  NPU_OP_TENSORNORM = 31,
  NPU_OP_CUSTOM = 32, /* of a plugin */
  NPU_OP_ATTENTION = 33,
  NPU_OP_COUNT = 34
} npu_op;

/* A logical tensor and how it is stored. `order` lists logical dimensions from
 * the outermost to the innermost; a blocked dimension keeps its outer part at
 * its place in `order`, its inner parts follow all of `order` in the sequence
 * of block_dims (aBcd16b: order a,b,c,d; one block: dim 1, size 16). A blocked
 * dimension is padded up to a multiple of its block size with zero lanes. */
typedef struct npu_tensor_desc {
  int64_t dims[NPU_MAX_RANK]; /* logical extents, elements */
  int32_t dtype;              /* npu_dtype */
  int32_t rank;               /* 0..NPU_MAX_RANK */
  int8_t order[NPU_MAX_RANK]; /* a permutation of 0..rank-1 */
  int32_t block_sizes[NPU_MAX_BLOCKS];
  int8_t block_dims[NPU_MAX_BLOCKS];
  int8_t block_count; /* 0..NPU_MAX_BLOCKS */
  int8_t reserved[7]; /* zero */
  /* Of a constant, bytes into the weights section, or behind it, from the next
   * multiple of NPU_WEIGHTS_ALIGNMENT on, into what the makers make; -1: not
   * constant. */
  int64_t weights_offset;
} npu_tensor_desc;
NPU_STATIC_ASSERT(sizeof(npu_tensor_desc) == 136, "npu_tensor_desc is on disk");

/* One scalar instruction of a fused elementwise chain. Values are numbered:
 * 0..n_inputs-1 the kernel's inputs (broadcast to the result), then, unless the
 * kernel is ELTWISE, n_inputs = the result of the kernel proper (conv, ...),
 * then one number per instruction. The last instruction gives the output. */
typedef struct npu_instr {
  int16_t kind;    /* npu_instr_kind */
  int16_t a, b, c; /* value numbers, -1 where the kind takes fewer operands */
  float alpha, beta;
  int32_t dtype;    /* element type of the result */
  int32_t reserved; /* zero */
} npu_instr;
NPU_STATIC_ASSERT(sizeof(npu_instr) == 24, "npu_instr is on disk");

/* The element types that an elementwise function takes and gives. */
typedef enum npu_instr_types {
  NPU_TYPES_NUMBERS,  /* one type, float or integer, of operands and result */
  NPU_TYPES_FLOATS,   /* one float type of operands and result */
  NPU_TYPES_INTEGERS, /* one integer type of operands and result */
  NPU_TYPES_BOOLS,    /* booleans; gives a boolean */
  NPU_TYPES_COMPARE,  /* one type of operands; gives a boolean */
  NPU_TYPES_SELECT,   /* a boolean, then two of the result's type */
  NPU_TYPES_CAST,     /* any; gives any */
  NPU_TYPES_BITCAST   /* any; gives one of the same width */
} npu_instr_types;

/* X(name, number, arity, types, meaning); the one table of elementwise
 * functions. `types` is an npu_instr_types without its prefix. */
#define NPU_INSTR_KINDS(X)                                                     \
  X(abs, 0, 1, NUMBERS, "|a|")                                                 \
  X(neg, 1, 1, NUMBERS, "-a")                                                  \
  X(relu, 2, 1, NUMBERS, "max(a, 0)")                                          \
  X(leaky_relu, 3, 1, FLOATS, "a >= 0 ? a : alpha * a")                        \
  X(elu, 4, 1, FLOATS, "a >= 0 ? a : alpha * (exp(a) - 1)")                    \
  X(sigmoid, 5, 1, FLOATS, "1 / (1 + exp(-a))")                                \
  X(tanh, 6, 1, FLOATS, "tanh(a)")                                             \
  X(exp, 7, 1, FLOATS, "exp(a)")                                               \
  X(log, 8, 1, FLOATS, "ln(a)")                                                \
  X(sqrt, 9, 1, FLOATS, "sqrt(a)")                                             \
  X(rsqrt, 10, 1, FLOATS, "1 / sqrt(a)")                                       \
  X(reciprocal, 11, 1, FLOATS, "1 / a")                                        \
  X(erf, 12, 1, FLOATS, "error function")                                      \
  X(floor, 13, 1, FLOATS, "round towards -infinity")                           \
  X(ceil, 14, 1, FLOATS, "round towards +infinity")                            \
  X(round, 15, 1, FLOATS, "round half to even")                                \
  X(clip, 16, 1, NUMBERS, "min(max(a, alpha), beta)")                          \
  X(hard_sigmoid, 17, 1, FLOATS, "min(max(alpha * a + beta, 0), 1)")           \
  X(hard_swish, 18, 1, FLOATS, "a * min(max(alpha * a + beta, 0), 1)")         \
  X(swish, 19, 1, FLOATS, "a / (1 + exp(-alpha * a))")                         \
  X(softplus, 20, 1, FLOATS, "ln(1 + exp(a))")                                 \
  X(gelu_erf, 21, 1, FLOATS, "a / 2 * (1 + erf(a / sqrt(2)))")                 \
  X(gelu_tanh, 22, 1, FLOATS, "gelu, tanh approximation")                      \
  X(logical_not, 23, 1, BOOLS, "!a")                                           \
  X(sign, 24, 1, NUMBERS, "-1, 0 or 1")                                        \
  X(cast, 25, 1, CAST, "a converted to the instruction's type")                \
  X(linear, 26, 1, FLOATS, "alpha * a + beta")                                 \
  X(sin, 27, 1, FLOATS, "sin(a), in radians")                                  \
  X(cos, 28, 1, FLOATS, "cos(a)")                                              \
  X(tan, 29, 1, FLOATS, "tan(a)")                                              \
  X(asin, 30, 1, FLOATS, "arcsin(a)")                                          \
  X(acos, 31, 1, FLOATS, "arccos(a)")                                          \
  X(add, 32, 2, NUMBERS, "a + b")                                              \
  X(sub, 33, 2, NUMBERS, "a - b")                                              \
  X(mul, 34, 2, NUMBERS, "a * b")                                              \
  X(div, 35, 2, NUMBERS, "a / b; integers towards zero")                       \
  X(min, 36, 2, NUMBERS, "min(a, b)")                                          \
  X(max, 37, 2, NUMBERS, "max(a, b)")                                          \
  X(pow, 38, 2, NUMBERS, "a to the power b")                                   \
  X(equal, 39, 2, COMPARE, "a == b, boolean")                                  \
  X(less, 40, 2, COMPARE, "a < b, boolean")                                    \
  X(less_equal, 41, 2, COMPARE, "a <= b, boolean")                             \
  X(greater, 42, 2, COMPARE, "a > b, boolean")                                 \
  X(greater_equal, 43, 2, COMPARE, "a >= b, boolean")                          \
  X(logical_and, 44, 2, BOOLS, "a && b")                                       \
  X(logical_or, 45, 2, BOOLS, "a || b")                                        \
  X(logical_xor, 46, 2, BOOLS, "a != b on booleans")                           \
  X(mod, 47, 2, NUMBERS,                                                       \
    "remainder; sign of b, alpha = 1: sign of a (C fmod)")                     \
  X(prelu, 48, 2, FLOATS, "a >= 0 ? a : a * b")                                \
  X(bit_and, 49, 2, INTEGERS, "a & b on integers")                             \
  X(bit_or, 50, 2, INTEGERS, "a | b on integers")                              \
  X(bit_xor, 51, 2, INTEGERS, "a ^ b on integers")                             \
  X(shift_left, 52, 2, INTEGERS, "a << b; 0 where b is no place of a bit")     \
  X(shift_right, 53, 2, INTEGERS,                                              \
    "a >> b; 0 or -1 where b is no place of a bit")                            \
  X(atan, 54, 1, FLOATS, "arctan(a)")                                          \
  X(bit_not, 55, 1, INTEGERS, "~a on integers")                                \
  X(clz, 56, 1, INTEGERS, "number of zero bits above the highest one")         \
  X(bitcast, 57, 1, BITCAST,                                                   \
    "the bits of a as the instruction's type, of its width")                   \
  X(round_away, 58, 1, FLOATS, "round half away from zero")                    \
  X(select, 64, 3, SELECT, "a ? b : c")                                        \
  X(mul_shift, 65, 3, INTEGERS, "a * b >> c, rounded; alpha = 1: twice (TOSA)")

typedef enum npu_instr_kind {
#define NPU_INSTR_ENUM(name, number, arity, types, meaning)                    \
  NPU_INSTR_##name = number,
  NPU_INSTR_KINDS(NPU_INSTR_ENUM)
#undef NPU_INSTR_ENUM
} npu_instr_kind;

/* Attributes speak of logical dimensions; spatial ones start at the first
 * spatial dimension, unused entries are zero. */
typedef struct npu_conv_attrs {
  int64_t strides[NPU_MAX_SPATIAL];
  int64_t dilations[NPU_MAX_SPATIAL]; /* 1 = dense */
  int64_t pads_begin[NPU_MAX_SPATIAL];
  int64_t pads_end[NPU_MAX_SPATIAL];
  int64_t groups;
  int64_t has_bias;
  /* Integer data: what stands for zero. It is subtracted from every element;
   * padding is zero after that. 0 for floats. */
  int64_t data_zero_point;
  /* CONV_TRANSPOSE: 1: the weight is that of the convolution whose gradient by
   * its data this is, [I,O/groups,spatial]. */
  int64_t weight_of_conv;
} npu_conv_attrs;

typedef struct npu_winograd_attrs { /* CONV_WINOGRAD, WINOGRAD_WEIGHT */
  int64_t tile;                     /* rows and columns of results: 2 or 4 */
  int64_t pads_begin[2];
  int64_t pads_end[2];
  int64_t has_bias;
} npu_winograd_attrs;

typedef struct npu_pool_attrs {
  int64_t kernel[NPU_MAX_SPATIAL];
  int64_t strides[NPU_MAX_SPATIAL];
  int64_t dilations[NPU_MAX_SPATIAL]; /* 1 = dense */
  int64_t pads_begin[NPU_MAX_SPATIAL];
  int64_t pads_end[NPU_MAX_SPATIAL];
  int64_t count_include_pad; /* average: divide by the whole window */
  int64_t column_major;      /* indices: the first spatial dimension is the
                                innermost, batch and channel stay outside */
  int64_t keep_nan;          /* maximum: NaN if an element of the window is */
} npu_pool_attrs;

typedef struct npu_axis_attrs { /* CONCAT, SOFTMAX, GATHER */
  int64_t axis;
  int64_t is_log; /* SOFTMAX: log-softmax */
} npu_axis_attrs;

/* MATMUL whose operand b is packed: what b stands for is (number - zero point)
 * * scale. All zero: b is what it is stored as. */
#define NPU_QUANTIZE_BY_RANGE (-1)

typedef struct npu_matmul_attrs {
  /* 2 or 4: b is u8 [ceil(K * bits / 8), N], several numbers of one column in a
   * byte, the first in the lowest bits. 0: one number in each element. */
  int64_t bits;
  /* Rows of K for each row of the scales, the operand behind b, a float type
   * [ceil(K / block), N or 1]. 0: no scales. */
  int64_t block;
  int64_t zero_point;      /* of all numbers; integers only */
  int64_t has_zero_points; /* the operand behind the scales, shaped like them,
                              u8, i8 or f32, instead of zero_point */
  /* So many neighbours of each row of a have a scale: the largest magnitude of
   * them is 127, all are rounded to such steps, halves to even, and multiplied
   * as integers, by b's numbers, which are integers. A multiple of `block`, or
   * a divisor, where it is less than K. 0: a is not rounded.
   * NPU_QUANTIZE_BY_RANGE: all of a becomes bytes as ONNX's
   * DynamicQuantizeLinear makes them; b is i8, with one row of scales and
   * without zero points. Sums less what the zero point adds to them are
   * multiplied by the product of both scales. */
  int64_t quantize;
} npu_matmul_attrs;

typedef enum npu_scatter_reduction {
  NPU_SCATTER_NONE = 0, /* the last of several updates stays */
  NPU_SCATTER_ADD = 1,
  NPU_SCATTER_MUL = 2,
  NPU_SCATTER_MAX = 3,
  NPU_SCATTER_MIN = 4
} npu_scatter_reduction;

typedef struct npu_index_attrs {
  int64_t axis;       /* GATHER_ELEMENTS, SCATTER_ELEMENTS */
  int64_t batch_dims; /* GATHER_ND */
  int64_t reduction;  /* npu_scatter_reduction */
} npu_index_attrs;

typedef struct npu_top_k_attrs { /* how many: the result's extent */
  int64_t axis;
  int64_t largest; /* 0: the smallest */
} npu_top_k_attrs;

typedef enum npu_cumulate_kind {
  NPU_CUMULATE_SUM = 0,
  NPU_CUMULATE_PROD = 1
} npu_cumulate_kind;

typedef struct npu_cumulate_attrs {
  int64_t axis;
  int64_t kind;      /* npu_cumulate_kind */
  int64_t exclusive; /* the elements before each one, without itself */
  int64_t reverse;   /* from the end */
} npu_cumulate_attrs;

typedef enum npu_pad_mode {
  NPU_PAD_CONSTANT = 0,
  NPU_PAD_REFLECT = 1,
  NPU_PAD_EDGE = 2,
  NPU_PAD_WRAP = 3
} npu_pad_mode;

typedef struct npu_pad_attrs { /* negative amounts crop */
  int64_t begin[NPU_MAX_RANK];
  int64_t end[NPU_MAX_RANK];
  int64_t mode; /* npu_pad_mode */
  double value; /* NPU_PAD_CONSTANT */
} npu_pad_attrs;

typedef struct npu_slice_attrs { /* extents come from the result */
  int64_t starts[NPU_MAX_RANK];
  int64_t steps[NPU_MAX_RANK]; /* not zero, may be negative */
} npu_slice_attrs;

typedef enum npu_reduce_kind {
  NPU_REDUCE_SUM = 0,
  NPU_REDUCE_MEAN = 1,
  NPU_REDUCE_MAX = 2,
  NPU_REDUCE_MIN = 3,
  NPU_REDUCE_PROD = 4,
  NPU_REDUCE_L1 = 5,
  NPU_REDUCE_L2 = 6,
  NPU_REDUCE_LOG_SUM = 7,
  NPU_REDUCE_LOG_SUM_EXP = 8,
  NPU_REDUCE_SUM_SQUARE = 9
} npu_reduce_kind;

typedef struct npu_reduce_attrs {
  int64_t kind;      /* npu_reduce_kind */
  int64_t axes_mask; /* bit i: logical dimension i of the input is reduced */
  int64_t keep_dims;
} npu_reduce_attrs;

typedef enum npu_resize_mode {
  NPU_RESIZE_NEAREST = 0,
  NPU_RESIZE_LINEAR = 1,
  NPU_RESIZE_CUBIC = 2
} npu_resize_mode;

typedef enum npu_resize_coordinates {
  NPU_RESIZE_HALF_PIXEL = 0,
  NPU_RESIZE_PYTORCH_HALF_PIXEL = 1,
  NPU_RESIZE_ALIGN_CORNERS = 2,
  NPU_RESIZE_ASYMMETRIC = 3,
  NPU_RESIZE_HALF_PIXEL_SYMMETRIC = 4
} npu_resize_coordinates;

typedef enum npu_resize_nearest {
  NPU_NEAREST_ROUND_PREFER_FLOOR = 0,
  NPU_NEAREST_ROUND_PREFER_CEIL = 1,
  NPU_NEAREST_FLOOR = 2,
  NPU_NEAREST_CEIL = 3
} npu_resize_nearest;

typedef struct npu_resize_attrs {
  double scales[NPU_MAX_RANK]; /* output / input, per logical dimension */
  int64_t mode;                /* npu_resize_mode */
  int64_t coordinates;         /* npu_resize_coordinates */
  int64_t nearest;             /* npu_resize_nearest */
  double cubic_a;
  int64_t exclude_outside;
} npu_resize_attrs;

typedef struct npu_rotate_attrs { /* from axes[0] towards axes[1] */
  int64_t axes[2];
  int64_t turns; /* quarters: 1, 2, 3 */
} npu_rotate_attrs;

/* (x - mean) / sqrt(variance + epsilon) * scale + bias */
typedef struct npu_norm_attrs {
  int64_t axes_mask;  /* bit i: mean and variance are over dimension i */
  int64_t group_axis; /* one of them, in `groups` parts with numbers each */
  int64_t groups;
  int64_t has_bias;
  int64_t centered; /* 0: no mean */
  double epsilon;
} npu_norm_attrs;

/* softmax(query * key^T * scale + mask) * value. Of a boolean mask nothing is
 * added: where it is false, the score is `fill`. */
typedef struct npu_attention_attrs {
  double scale;
  double fill;
  int64_t has_mask; /* of the query's type, or boolean */
  int64_t causal;   /* query m takes no key behind m + N - M */
} npu_attention_attrs;

/* CUSTOM: which op of which plugin, and the model's attributes: where in the
 * weights section, in the encoding of format/custom_op.h. */
typedef struct npu_custom_attrs {
  int64_t offset; /* NPU_VALUE_ALIGNMENT */
  int64_t bytes;
} npu_custom_attrs;

typedef struct npu_transpose_attrs {
  int64_t permutation[NPU_MAX_RANK]; /* result dim i = input dim perm[i] */
} npu_transpose_attrs;

typedef union npu_attrs {
  int64_t raw[24]; /* first, so that `= {0}` clears all of the union;
                      ELTWISE, RELAYOUT, ...: all zero */
  npu_conv_attrs conv;
  npu_winograd_attrs winograd;
  npu_pool_attrs pool;
  npu_axis_attrs axis;
  npu_matmul_attrs matmul;
  npu_pad_attrs pad;
  npu_slice_attrs slice;
  npu_reduce_attrs reduce;
  npu_resize_attrs resize;
  npu_transpose_attrs transpose;
  npu_index_attrs index;
  npu_top_k_attrs top_k;
  npu_cumulate_attrs cumulate;
  npu_rotate_attrs rotate;
  npu_norm_attrs norm;
  npu_attention_attrs attention;
  npu_custom_attrs custom;
} npu_attrs;
NPU_STATIC_ASSERT(sizeof(npu_attrs) == 192, "npu_attrs is on disk");

/* npu_kernel_desc.flags */
#define NPU_KERNEL_GENERATED 1u /* code in the file, run by parallel_for */

/* One kernel: rows [first_tensor, first_tensor + n_inputs + n_outputs) of the
 * tensor table, rows [first_instr, +n_instrs) of the instruction table, row
 * `attrs` of the table of attributes. Kernels share rows. */
typedef struct npu_kernel_desc {
  int32_t op; /* npu_op */
  uint32_t flags;
  int32_t n_inputs;
  int32_t n_outputs;
  uint32_t first_tensor;
  uint32_t first_instr;
  int32_t n_instrs;
  int32_t in_place_input; /* this input and output 0 share memory, -1: none */
  uint32_t attrs;
} npu_kernel_desc;
NPU_STATIC_ASSERT(sizeof(npu_kernel_desc) == 36, "npu_kernel_desc is on disk");

/* A model input or output, or one side of a state. Its name lies in the
 * manifest, same index. Of a state as it is before a run, the tensor's
 * weights_offset is that of its first value in the weights section, in stored
 * order; -1, as of all others: it begins as zeros. */
typedef struct npu_io_desc {
  npu_tensor_desc tensor;
  uint64_t bytes; /* stored bytes, block padding included */
} npu_io_desc;
NPU_STATIC_ASSERT(sizeof(npu_io_desc) == 144, "npu_io_desc is on disk");

/* What the runtime gives to the code. `exec` is opaque to the code. Operands
 * are pointers in the order of the kernel's tensors. A result other than 0
 * ends the run with that status. */
typedef struct npu_exec npu_exec;
typedef void (*npu_body)(void *const *operands, int64_t begin, int64_t end);
typedef struct npu_imports {
  uint32_t version; /* NPU_FORMAT_VERSION of the runtime */
  uint32_t size;    /* sizeof(npu_imports) */
  int32_t (*call_kernel)(npu_exec *exec, uint32_t kernel,
                         void *const *operands);
  /* Runs body over [0, count) in chunks of at least `grain`, split evenly and
   * always in the same way for the same thread count. */
  int32_t (*parallel_for)(npu_exec *exec, uint32_t kernel, int64_t count,
                          int64_t grain, npu_body body, void *const *operands);
} npu_imports;

/* What one run gives to the code. */
typedef struct npu_frame {
  const npu_imports *imports;
  npu_exec *exec;
  uint8_t *arena;         /* npu_program.arena_bytes, NPU_VALUE_ALIGNMENT */
  const uint8_t *weights; /* the weights section */
  void *const *inputs;    /* in stored order, NPU_VALUE_ALIGNMENT */
  void *const *outputs;
  const uint8_t *made; /* what the makers made */
} npu_frame;

/* The exported root. Pointers are relocated by the dynamic loader. */
typedef struct npu_program {
  char magic[8];    /* NPU_PROGRAM_MAGIC */
  uint32_t version; /* NPU_FORMAT_VERSION */
  uint32_t size;    /* sizeof(npu_program) */
  const npu_kernel_desc *kernels;
  /* What the runtime runs once, when it loads the program: a constant from
   * others, stored in the weights section or made before it, in three steps at
   * the most. ELTWISE or WINOGRAD_WEIGHT. Results lie one behind the other.
   */
  const npu_kernel_desc *makers;
  const npu_attrs *attrs;
  const npu_tensor_desc *tensors;
  const npu_instr *instrs;
  const npu_io_desc *inputs;
  const npu_io_desc *outputs;
  const uint8_t *weights; /* NPU_WEIGHTS_ALIGNMENT, null if weight_bytes is 0 */
  uint64_t weight_bytes;
  uint64_t arena_bytes;
  uint32_t n_kernels;
  uint32_t n_makers;
  uint32_t n_attrs;
  uint32_t n_tensors;
  uint32_t n_instrs;
  uint32_t n_inputs;
  uint32_t n_outputs;
  /* States: the last so many inputs are what they hold before a run, the last
   * outputs, in the same sequence and stored alike, what they hold after it. */
  uint32_t n_states;
  int32_t (*run)(const npu_frame *frame);
} npu_program;
NPU_STATIC_ASSERT(sizeof(npu_program) == 136, "npu_program is on disk");

/* The last bytes of the file. `checksum` is XXH3_128bits of every byte before
 * the field, canonical (big-endian) form, so that a flip anywhere is found. */
typedef struct npu_footer {
  char magic[8];            /* NPU_FOOTER_MAGIC */
  uint32_t version;         /* NPU_FORMAT_VERSION */
  uint32_t size;            /* sizeof(npu_footer) */
  uint64_t file_size;       /* footer included */
  uint64_t manifest_offset; /* bytes from the start of the file */
  uint64_t manifest_size;
  uint64_t chip_size; /* of the chip's program, behind the manifest; 0: none */
  uint8_t checksum[16];
} npu_footer;
NPU_STATIC_ASSERT(sizeof(npu_footer) == 64, "npu_footer is on disk");

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses) */

#endif /* NPU_FORMAT_PROGRAM_FORMAT_H */
