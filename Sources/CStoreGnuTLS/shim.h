#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* gnutls_free is a variable and a macro, neither of which Swift can call. */
static inline void cgnutls_free(unsigned char *memory) { (gnutls_free)(memory); }

#endif
