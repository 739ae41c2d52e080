/// What Swift can't call in libmicrohttpd: variadic functions, macros, callbacks with many arguments.
///
/// No policy lives here. Every function but `chttpd_set_panic` belongs to the one thread that runs
/// the daemon.
#ifndef CHTTPD_H
#define CHTTPD_H

#include <stddef.h>
#include <stdint.h>
// Not in the C library module that Swift has; the event loops need them.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#pragma clang assume_nonnull begin

typedef struct chttpd_daemon chttpd_daemon;
typedef struct chttpd_connection chttpd_connection;
typedef struct chttpd_response chttpd_response;

/// One header field, in the connection's own memory: valid until the request is completed.
typedef struct {
    const char *name;
    const char *_Nullable value;
    size_t name_length;
    size_t value_length;
} chttpd_field;

/// A request line as the library has cut it up, in the connection's own memory. Each part is ended by
/// NUL, also one that NUL was sent in, and the target by its query, too.
typedef struct {
    const char *method;
    const char *target;
    const char *version;
} chttpd_line;

/// What an access callback answers.
typedef enum {
    /// Close the connection without a further byte.
    CHTTPD_CLOSE = 0,
    /// Go on.
    CHTTPD_CONTINUE = 1,
} chttpd_verdict;

/// What the daemon calls, all on the thread that runs it.
typedef struct {
    /// Handed to every callback.
    void *context;
    /// The request target as it came, before anything else of a request. Answers the request's
    /// context.
    void *_Nullable (*_Nonnull request_began)(
        void *context, chttpd_connection *connection, const char *target);
    /// Called when the headers are complete, with each piece of the body, at its end, and after each
    /// resume. `size` is how much there is at `body`; the callback sets it to 0 for what it took.
    chttpd_verdict (*access)(
        void *context, chttpd_connection *connection, chttpd_line line,
        const char *_Nullable body, size_t *size, void *_Nullable request);
    /// The library refuses what a client sent, with this status, and closes the connection. The
    /// callback answers on the socket and shuts its sending side down, or the library's own answer
    /// follows. Not called where the library is bound so that it answers by itself.
    void (*refused)(void *context, chttpd_connection *connection, unsigned status);
    /// A request is over; `answered` is 1 where its answer was sent.
    void (*request_ended)(void *context, void *_Nullable request, int answered);
    /// A connection is there. Answers its context.
    void *_Nullable (*_Nonnull connection_opened)(void *context, chttpd_connection *connection);
    /// A connection's socket is about to be closed.
    void (*connection_closed)(void *context, void *_Nullable connection_context);
    /// The library has something to say.
    void (*log)(void *context, const char *message);
} chttpd_callbacks;

/// Starts a daemon that has no thread and no listening socket: it is run by `chttpd_run`.
///
/// - Returns: `NULL` where the library refuses.
chttpd_daemon *_Nullable chttpd_start(
    const chttpd_callbacks *callbacks, size_t connection_bytes, unsigned connections_max,
    unsigned idle_seconds);

/// The descriptor that is readable when the daemon has work; -1 where it has none.
int chttpd_descriptor(chttpd_daemon *daemon);

/// How long the daemon can do without being run, in milliseconds; -1 for any time.
int chttpd_timeout(chttpd_daemon *daemon);

/// Does what can be done without waiting.
void chttpd_run(chttpd_daemon *daemon);

/// Gives an accepted socket to the daemon, which closes it in any case. Answers whether it took it.
int chttpd_add(
    chttpd_daemon *daemon, int descriptor, const struct sockaddr *address, socklen_t length);

/// Ends the daemon. No connection may be suspended, or the library aborts the process.
void chttpd_stop(chttpd_daemon *daemon);

/// The socket of a connection.
int chttpd_socket(chttpd_connection *connection);

/// The context that `connection_opened` answered.
void *_Nullable chttpd_connection_context(chttpd_connection *connection);

/// Writes up to `max` header fields to `fields`, without the white space behind their values. Answers
/// how many there are.
///
/// `hides` becomes 1 where the head has bytes that belong neither to the request line, whose target
/// came with `target_length` bytes, nor to a field: what came behind a NUL, in a folded line, or behind
/// a line that the library takes for the empty one.
size_t chttpd_fields(
    chttpd_connection *connection, chttpd_line line, size_t target_length, chttpd_field *fields,
    size_t max, int *hides);

void chttpd_suspend(chttpd_connection *connection);
void chttpd_resume(chttpd_connection *connection);

/// What comes before a response's body.
typedef struct {
    /// Names and values by turns, each ended by NUL, one behind the other.
    const char *_Nullable fields;
    size_t field_count;
    /// The same for the fields that every answer has.
    const char *_Nullable common;
    size_t common_count;
    unsigned status;
    /// Whether the connection ends with this response.
    int closes;
} chttpd_response_head;

/// Queues a response whose body is copied. Answers whether the library took it.
int chttpd_respond_copy(
    chttpd_connection *connection, chttpd_response_head head, const void *_Nullable body,
    size_t length);

/// Queues a response whose body stays where it is until `release` is called with `owner`, which
/// happens also where the library does not take the response.
int chttpd_respond_shared(
    chttpd_connection *connection, chttpd_response_head head, const void *body, size_t length,
    void (*release)(void *_Nullable owner), void *owner);

/// Queues a response whose body is read a block at a time: `read` copies up to `max` bytes from an offset
/// on to `to` and answers how many. The library would abort the process where a list of pieces does not fit
/// the memory of the connection; a block has memory of its own.
int chttpd_respond_read(
    chttpd_connection *connection, chttpd_response_head head, size_t length,
    ssize_t (*read)(void *_Nullable owner, uint64_t offset, char *_Nullable to, size_t max),
    void (*release)(void *_Nullable owner), void *owner);

/// A response that can be queued for request after request, with other fields and another body of the
/// same length. `body` comes from malloc() and is freed with the last use of the response; `NULL` where
/// there is no memory, and then the body is the caller's.
///
/// Neither fields nor body may change while the response is queued for a request that is not over.
chttpd_response *_Nullable chttpd_response_make(void *body, size_t length);

/// Adds a field, or takes one out. Answers whether that was done.
int chttpd_response_add(chttpd_response *response, const char *name, const char *value);
int chttpd_response_remove(chttpd_response *response, const char *name, const char *value);

/// The library's own copy of a field's value, ended by NUL; `NULL` where there is no such field. The
/// library means it to be read: whether it can be written over, a probe has to show.
char *_Nullable chttpd_response_value(chttpd_response *response, const char *name);

/// Lets go of a response; the library keeps it while it is queued.
void chttpd_response_release(chttpd_response *response);

/// Queues such a response. Answers whether the library took it.
int chttpd_respond(chttpd_connection *connection, unsigned status, chttpd_response *response);

/// Calls `panic` with a sentence before the library aborts the process. For the whole process.
void chttpd_set_panic(void (*panic)(const char *_Nullable reason));

/// The version of the library that is loaded, as text.
const char *chttpd_version(void);

/// accept4() with both flags that every socket here has: non-blocking, closed on exec.
int chttpd_accept(int listener, struct sockaddr_storage *address, socklen_t *length);

#pragma clang assume_nonnull end

#endif
