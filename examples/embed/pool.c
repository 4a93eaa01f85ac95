/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  pthread_t *threads;
  int thread_count;
  int is_ending;
  /* One loop at a time. */
  void (*task)(void *data, int32_t index);
  void *data;
  int32_t next, count, running;
};

/* Takes one index and runs it; the mutex is held before and after. */
static void run_one(pool *p) {
  int32_t index = p->next++;
  ++p->running;
  pthread_mutex_unlock(&p->mutex);
  p->task(p->data, index);
  pthread_mutex_lock(&p->mutex);
  if (--p->running == 0 && p->next == p->count)
    pthread_cond_signal(&p->done);
}

static void *serve(void *argument) {
  pool *p = argument;
  pthread_mutex_lock(&p->mutex);
  while (!p->is_ending)
    if (p->next < p->count)
      run_one(p);
    else
      pthread_cond_wait(&p->work, &p->mutex);
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

pool *pool_create(int threads) {
  pool *p = calloc(1, sizeof(*p));
  if (!p)
    return NULL;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, NULL);
  p->threads = calloc((size_t)threads, sizeof(pthread_t));
  while (p->threads && p->thread_count < threads - 1 &&
         pthread_create(&p->threads[p->thread_count], NULL, serve, p) == 0)
    ++p->thread_count;
  if (p->thread_count == threads - 1)
    return p;
  pool_free(p);
  return NULL;
}

void pool_free(pool *p) {
  if (!p)
    return;
  pthread_mutex_lock(&p->mutex);
  p->is_ending = 1;
  pthread_cond_broadcast(&p->work);
  pthread_mutex_unlock(&p->mutex);
  for (int i = 0; i < p->thread_count; ++i)
    pthread_join(p->threads[i], NULL);
  pthread_mutex_destroy(&p->mutex);
  pthread_cond_destroy(&p->work);
  pthread_cond_destroy(&p->done);
  free(p->threads);
  free(p);
}

void pool_for(void *argument, int32_t count,
              void (*task)(void *data, int32_t index), void *data) {
  pool *p = argument;
  pthread_mutex_lock(&p->mutex);
  p->task = task;
  p->data = data;
  p->next = 0;
  p->count = count;
  pthread_cond_broadcast(&p->work);
  while (p->next < p->count)
    run_one(p);
  while (p->running > 0)
    pthread_cond_wait(&p->done, &p->mutex);
  pthread_mutex_unlock(&p->mutex);
}
