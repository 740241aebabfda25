/* SPDX-License-Identifier: MIT */
/* A shared object that is no plug-in. */
extern const int not_a_plugin;
const int not_a_plugin = 1;
