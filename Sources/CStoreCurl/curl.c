// The macros that check the types of options are turned off. Here the declarations of <curl/curl.h>
// only give types to the functions that dlsym() finds.
#define CURL_DISABLE_TYPECHECK
#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static ccurl_functions library;

// The names of libcurl's file. Debian has two builds of libcurl; other systems have the first name.
static const char *const library_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static char load_error[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find_symbol(void *handle, const char *name, void **function) {
    *function = dlsym(handle, name);
    if (*function != NULL) return 1;
    snprintf(load_error, sizeof load_error, "libcurl can't be used: it has no %s", name);
    return 0;
}

static void load(void) {
    void *handle = NULL;
    char first[256] = "";
    const size_t count = sizeof library_names / sizeof *library_names;
    for (size_t index = 0; index < count && handle == NULL; index += 1) {
        handle = dlopen(library_names[index], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL && index == 0) {
            const char *error = dlerror();
            snprintf(first, sizeof first, "%s", error == NULL ? "no reason given" : error);
        }
    }
    if (handle == NULL) {
        snprintf(
            load_error, sizeof load_error,
            "libcurl can't be loaded, which HTTP requests need (%s); install it (Debian: libcurl4)",
            first);
        return;
    }
#define FIND(name) && find_symbol(handle, "curl_" #name, (void **)&library.name)
    if (!(1 CCURL_FUNCTIONS(FIND))) return;
    curl_version_info_data *version = (library.version_info)(CURLVERSION_NOW);
    if (version == NULL || version->version_num < 0x075500) {
        snprintf(
            load_error, sizeof load_error,
            "libcurl can't be used: 7.85 or newer is needed, and it is %s",
            version == NULL ? "unknown" : version->version);
    }
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return load_error[0] == '\0' ? NULL : load_error;
}

const ccurl_functions *ccurl_library(void) {
    return &library;
}

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return (library.easy_setopt)(handle, option, value);
}

CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return (library.easy_setopt)(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (library.easy_setopt)(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (library.easy_setopt)(handle, option, value);
}

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink) {
    return (library.easy_setopt)(handle, option, sink);
}

CURLcode ccurl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    // The loaded library may be older than the headers, and lack this option. The removal of a
    // transfer then waits for the look-up.
    CURLcode code = (library.easy_setopt)(handle, CURLOPT_QUICK_EXIT, 1L);
    return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
#else
    (void)handle;
    return CURLE_OK;
#endif
}

long ccurl_status(CURL *handle) {
    long status = 0;
    (library.easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

const char *ccurl_url_of(CURL *handle) {
    const char *url = NULL;
    (library.easy_getinfo)(handle, CURLINFO_EFFECTIVE_URL, &url);
    return url;
}

CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return (library.multi_setopt)(multi, option, value);
}

CURL *ccurl_multi_ended(CURLM *multi, CURLcode *result) {
    CURLMsg *message;
    int left;
    while ((message = (library.multi_info_read)(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
