/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording is passed on; what a command line holds of passwords is not to go with it. Knows the
 * names people give such options, and nothing of JVMs.
 */
#ifndef STANDSTILL_ATTACH_SECRET_H
#define STANDSTILL_ATTACH_SECRET_H

/* Overwrite with '*', in place, the value of each option in @arguments whose name speaks of a
 * secret: what follows its '=', or, in an option like "--password" without one, the next word.
 * Words end at white space. */
void secret_mask(char *arguments);

#endif
