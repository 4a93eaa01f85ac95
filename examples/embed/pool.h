/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of threads. Stands for the one that a program has already. */
#ifndef EMBED_POOL_H
#define EMBED_POOL_H

#include <stdint.h>

typedef struct pool pool;

/* `threads` with the caller's; NULL if they cannot be started. */
pool *pool_create(int threads);
void pool_free(pool *p);

/* As npu_host.parallel_for wants it; `p` is the pool. */
void pool_for(void *p, int32_t count, void (*task)(void *data, int32_t index),
              void *data);

#endif
