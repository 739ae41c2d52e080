#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <time.h>

#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or newer is needed"
#endif

/* libcurl, loaded when a program first needs it: it brings some twenty libraries, which most stores
   have no use for. What takes variable arguments, which Swift can't pass, has a function for each type
   of argument. All others are libcurl's own, by its names with a `c` before them.

   All but `ccurl_load` may be called only where that has returned NULL. */

/* Loads libcurl, once. Any thread may call it. Returns NULL, or why there is none, in words that stay. */
const char *ccurl_load(void);

CURLcode ccurl_global_init(long flags);
CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
const char *ccurl_easy_strerror(CURLcode code);
void ccurl_free(void *memory);
time_t ccurl_getdate(const char *text);

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value);

typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink);

/* Taking a transfer away does not wait for a name that is being looked up (libcurl 7.87). */
CURLcode ccurl_set_quick_exit(CURL *handle);

long ccurl_status(CURL *handle);

/* Where the last redirect led; valid as long as the handle is. */
const char *ccurl_url_of(CURL *handle);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
const char *ccurl_multi_strerror(CURLMcode code);

/* The next transfer that has ended, with its result; NULL where none is left. */
CURL *ccurl_multi_ended(CURLM *multi, CURLcode *result);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLU *ccurl_url(void);
void ccurl_url_cleanup(CURLU *url);
CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags);
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags);

#endif
