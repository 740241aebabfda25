/* SPDX-License-Identifier: MIT */
/* The ordinary build: only trees for which that is asked are audited. */
#include "core/tree/audit.h"

const bool xy__audit_always = false;
