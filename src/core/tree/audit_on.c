/* SPDX-License-Identifier: MIT */
/* The debug build: every sealed tree is audited. */
#include "core/tree/audit.h"

const bool xy__audit_always = true;
