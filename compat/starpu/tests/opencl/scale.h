/* SPDX-License-Identifier: MIT */
/* Included by scale.cl: shows that a program finds headers beside it. */
#define SCALE(a, factor) (a) *= (factor)
