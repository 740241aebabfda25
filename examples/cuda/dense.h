/* SPDX-License-Identifier: MIT */
/* The CUDA implementations of the example's codelets. */
#ifndef DENSE_H
#define DENSE_H

#ifdef __cplusplus
extern "C" {
#endif

struct xy_call;

/* Numbers of the work space for a factorization. */
#define DENSE_WORK(size) ((size) * (size) + 65536)

int dense_gemm(struct xy_call *call);  /* a, b, c: c += alpha a b' */
int dense_syrk(struct xy_call *call);  /* a, c: c -= a a', the lower half */
int dense_trsm(struct xy_call *call);  /* l, b: b = b l'^-1 */
int dense_potrf(struct xy_call *call); /* a, work space, info: a = its factor, info = 0 if there is one */

#ifdef __cplusplus
}
#endif
#endif
