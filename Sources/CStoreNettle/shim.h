#ifndef CNETTLE_SHIM_H
#define CNETTLE_SHIM_H

#include <nettle/base64.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

#endif
