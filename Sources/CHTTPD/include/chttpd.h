/// Functions for the parts of libmicrohttpd that Swift cannot use, or can use only with difficulty:
/// variadic functions, macros, and callbacks with many arguments. Swift calls the library's other
/// functions directly.
///
/// These functions make no decisions about requests. Any thread may call `chttpd_set_panic`; only
/// the thread that runs the daemon may call the other functions.
#ifndef CHTTPD_H
#define CHTTPD_H

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>
// Swift's module of the C library does not have these headers. The event loops need them.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#pragma clang assume_nonnull begin

typedef struct chttpd_daemon chttpd_daemon;

/// A header field in the connection's memory, valid until the request is completed.
typedef struct {
    const char *name;
    const char *_Nullable value;
    size_t name_length;
    size_t value_length;
} chttpd_field;

/// The parts of a request line in the connection's memory. Each part is a C string, so a NUL that
/// the client sent within a part ends the part. The target ends with the `?` before its query.
typedef struct {
    const char *method;
    const char *target;
    const char *version;
} chttpd_line;

/// The verdict of an access callback.
typedef enum {
    /// Close the connection without a further byte.
    CHTTPD_CLOSE = 0,
    /// Go on with the request.
    CHTTPD_CONTINUE = 1,
} chttpd_verdict;

/// The callbacks of a daemon. The thread that runs the daemon calls them.
typedef struct {
    /// The first argument of every callback.
    void *context;
    /// Called when the request line was read. `target` is the target as the client sent it. Returns
    /// the request's context.
    void *_Nullable (*_Nonnull request_began)(
        void *context, struct MHD_Connection *connection, const char *target);
    /// Called when the headers are complete, with each piece of the body, at the body's end, and
    /// after each resume. `size` is the number of bytes at `body`. The callback sets `size` to the
    /// number of bytes that the callback did not take.
    chttpd_verdict (*access)(
        void *context, struct MHD_Connection *connection, chttpd_line line,
        const char *_Nullable body, size_t *size, void *_Nullable request);
    /// Called when the library refuses a request with `status`, and is about to close the
    /// connection. The callback answers on the socket, and shuts down the socket's sending side.
    /// Without the shutdown, the library's own answer would follow. The library never calls this
    /// function if the definitions in hooks.c have no effect.
    void (*refused)(void *context, struct MHD_Connection *connection, unsigned status);
    /// Called when a request is over. `answered` is 1 if its answer was sent.
    void (*request_ended)(void *context, void *_Nullable request, int answered);
    /// Called when a connection was added. Returns the connection's context.
    void *_Nullable (*_Nonnull connection_opened)(void *context, struct MHD_Connection *connection);
    /// Called when a connection's socket is about to be closed.
    void (*connection_closed)(void *context, void *_Nullable connection_context);
    /// Called with a line of the library for the log.
    void (*log)(void *context, const char *message);
} chttpd_callbacks;

/// Starts a daemon without a thread and without a listening socket. `chttpd_run` runs it.
///
/// - Returns: `NULL` if the library refuses, or there is no memory.
chttpd_daemon *_Nullable chttpd_start(
    const chttpd_callbacks *callbacks, size_t connection_bytes, unsigned connections_max,
    unsigned idle_seconds);

/// Returns the daemon's epoll descriptor, which is readable when the daemon has work; -1 after an
/// error.
int chttpd_descriptor(chttpd_daemon *daemon);

/// Returns the time in milliseconds, at most a minute, after which `chttpd_run` must be called; -1
/// if there is no such time.
int chttpd_timeout(chttpd_daemon *daemon);

/// Runs the daemon once: handles the sockets that are ready, and does not wait for others.
void chttpd_run(chttpd_daemon *daemon);

/// Gives an accepted socket to the daemon. The daemon closes the socket later, or at once if the
/// daemon refuses the socket. Returns 1 if the daemon took the socket, else 0.
int chttpd_add(
    chttpd_daemon *daemon, int descriptor, const struct sockaddr *address, socklen_t length);

/// Ends the daemon. No connection may be suspended, or the library aborts the process.
void chttpd_stop(chttpd_daemon *daemon);

/// Returns the socket of a connection.
int chttpd_socket(struct MHD_Connection *connection);

/// Returns the context that `connection_opened` returned.
void *_Nullable chttpd_connection_context(struct MHD_Connection *connection);

/// Writes up to `max` header fields to `fields`, without the white space behind their values.
/// Returns the number of fields in the header, which may be more than `max`.
///
/// `has_hidden_bytes` becomes 1 if the head has bytes that belong neither to a field nor to the
/// request line. These hidden bytes are behind a NUL, in a folded line, or behind a line that the
/// library reads as the empty line at the header's end. `target_length` is the length of the target
/// with its query.
size_t chttpd_fields(
    struct MHD_Connection *connection, chttpd_line line, size_t target_length, chttpd_field *fields,
    size_t max, int *has_hidden_bytes);

/// The head of a response.
typedef struct {
    /// The fields, one behind the other: first the name, then the value. Each text ends with NUL.
    const char *_Nullable fields;
    size_t field_count;
    /// The fields that every answer has, in the same form as `fields`.
    const char *_Nullable common;
    size_t common_count;
    unsigned status;
    /// 1 if the connection ends with this response.
    int closes;
} chttpd_response_head;

/// Queues a response whose body is copied. Returns 1 if the library took it, else 0.
int chttpd_respond_copy(
    struct MHD_Connection *connection, chttpd_response_head head, const void *_Nullable body,
    size_t length);

/// Queues a response whose body is sent without a copy. The body must stay valid until the library
/// calls `release` with `owner`. `release` is called even if the library refuses the response.
int chttpd_respond_shared(
    struct MHD_Connection *connection, chttpd_response_head head, const void *body, size_t length,
    void (*release)(void *_Nullable owner), void *owner);

/// Queues a response whose body the library reads in blocks. `read` copies up to `max` bytes of the
/// body, from `offset` on, to `to`, and returns their number. The library allocates the memory for
/// a block.
///
/// A list of pieces, which the library can also send, is not used here: the library would abort the
/// process if the list did not fit in the connection's memory.
int chttpd_respond_read(
    struct MHD_Connection *connection, chttpd_response_head head, size_t length,
    ssize_t (*read)(void *_Nullable owner, uint64_t offset, char *_Nullable to, size_t max),
    void (*release)(void *_Nullable owner), void *owner);

/// Makes a response that can be queued for one request after another. Between two requests the
/// caller may change the fields and the bytes of the body, but not the length of the body. `body`
/// comes from malloc(), and the library frees it with the response. Returns `NULL` if there is no
/// memory; then the body still belongs to the caller.
///
/// Neither fields nor body may change while the response is queued for a request that is not over.
struct MHD_Response *_Nullable chttpd_response_make(void *body, size_t length);

/// Adds or removes a field. Returns 1 if the field was added or removed, else 0.
int chttpd_response_add(struct MHD_Response *response, const char *name, const char *value);
int chttpd_response_remove(struct MHD_Response *response, const char *name, const char *value);

/// Queues a response of `chttpd_response_make`. Returns 1 if the library took it, else 0.
int chttpd_respond(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

/// Sets the function that is called with the reason before the library aborts the process. Only the
/// first call in the process has an effect.
void chttpd_set_panic(void (*panic)(const char *_Nullable reason));

/// Calls accept4() with both flags of the server's sockets: non-blocking, closed on exec.
int chttpd_accept(int listener, struct sockaddr_storage *address, socklen_t *length);

#pragma clang assume_nonnull end

#endif
