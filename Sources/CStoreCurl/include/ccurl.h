#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <time.h>

#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or newer is needed"
#endif

/* This module loads libcurl when a program first needs it. libcurl itself loads some twenty
   libraries, which most stores never use. */

#define CCURL_FUNCTIONS(F) \
    F(global_init) F(version_info) F(free) F(getdate) \
    F(easy_init) F(easy_cleanup) F(easy_setopt) F(easy_getinfo) F(easy_strerror) \
    F(multi_init) F(multi_cleanup) F(multi_setopt) F(multi_add_handle) F(multi_remove_handle) \
    F(multi_perform) F(multi_poll) F(multi_wakeup) F(multi_strerror) F(multi_info_read) \
    F(slist_append) F(slist_free_all) F(url) F(url_cleanup) F(url_get) F(url_set)

#define CCURL_DECLARE(name) __typeof__(curl_##name) *name;

#pragma clang assume_nonnull begin

/* The functions of libcurl, by their names without `curl_`. */
typedef struct {
    CCURL_FUNCTIONS(CCURL_DECLARE)
} ccurl_functions;

/* Loads libcurl at the first call. Any thread may call this function. Returns NULL, or the reason
   why libcurl cannot be used, as a text that stays valid until the process ends. */
const char *_Nullable ccurl_load(void);

/* Returns the functions of libcurl. This function and all functions below may be called only
   after `ccurl_load` has returned NULL. */
const ccurl_functions * ccurl_library(void);

/* Swift can't call functions with variable arguments, so each type of argument has a function. */

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *_Nullable value);

typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *_Nullable context);

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink);
CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value);

/* Sets the option with which the removal of a transfer does not wait for the look-up of a host
   name (libcurl 7.87). */
CURLcode ccurl_set_quick_exit(CURL *handle);

long ccurl_status(CURL *handle);

/* Returns the URL of the last answer, after all redirects. The text is valid as long as the
   handle. */
const char *_Nullable ccurl_url_of(CURL *handle);

/* Returns the next transfer that has ended, with its result; NULL if none is left. */
CURL *_Nullable ccurl_multi_ended(CURLM *multi, CURLcode *result);

#pragma clang assume_nonnull end

#endif
