#ifndef CGNUTLS_SHIM_H
#define CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* Swift cannot call gnutls_free, because that name is a variable and a macro. */
static inline void cgnutls_free(unsigned char *memory) { (gnutls_free)(memory); }

#endif
