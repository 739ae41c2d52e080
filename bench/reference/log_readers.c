/* Reads the log of actions with many readers and checks that nothing is missing: one thread, one epoll.
 *
 *   log_readers PORT READERS AFTER LAST
 *
 * Each reader opens /actions/events?after=AFTER and has to get the versions AFTER + 1 to LAST, each
 * once and in order. Prints "held READERS" when every stream has answered, and in the end one line:
 *
 *   whole W of R, bytes B, seconds S
 *
 * Ends with 0 if all readers got every version. Reads only the beginning of each event. Chunks (RFC 9112,
 * 7.1) may end anywhere within events.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 64, READERS_MAX = 4096, HEAD_BYTES_MAX = 64, READ_BYTES = 256 << 10 };

enum part { CHUNK_SIZE, CHUNK_DATA, CHUNK_END };

struct reader {
    int descriptor;
    int in_body;            /* true after the response's head */
    enum part part;         /* the part of the present chunk */
    size_t left;            /* the chunk's size so far, or the missing bytes of its data or end */
    char head[HEAD_BYTES_MAX + 1];
    size_t head_length;     /* the received bytes of the event's beginning */
    int ends_line;          /* the last byte of the event so far is a line feed */
    unsigned long long version;
    int is_wrong, is_done;
};

static struct reader readers[READERS_MAX];
static unsigned long long after, last;

static int fail(const char *what, int reader) {
    fprintf(stderr, "log_readers: reader %d: %s (%s)\n", reader, what, strerror(errno));
    return 1;
}

/* Checks one event by its first bytes. */
static void saw(struct reader *reader, const char *event, size_t length) {
    /* Bytes before the first event count as a part of it. */
    if (length >= 7 && memcmp(event, "retry: ", 7) == 0) {
        const char *line = memchr(event, '\n', length);
        if (!line) return;
        length -= (size_t)(line + 1 - event);
        event = line + 1;
    }
    if (length >= 4 && memcmp(event, "id: ", 4) == 0) {
        const char *colon = memchr(event + 4, ':', length - 4);
        unsigned long long version = 0;
        for (const char *digit = colon + 1; *digit >= '0' && *digit <= '9'; digit++)
            version = version * 10 + (unsigned long long)(*digit - '0');
        if (version != reader->version + 1) {
            if (!reader->is_wrong)
                fprintf(stderr, "log_readers: %llu after %llu\n", version, reader->version);
            reader->is_wrong = 1;
        }
        reader->version = version;
        if (version >= last) reader->is_done = 1;
    } else if (length >= 12 && (memcmp(event, "event: resyn", 12) == 0 ||
                                memcmp(event, "event: bye\nd", 12) == 0)) {
        reader->is_wrong = 1;
    }
}

/* Takes bytes of events. A blank line ends an event. */
static void read_events(struct reader *reader, const char *bytes, size_t length) {
    while (length > 0) {
        const char *blank = reader->ends_line && *bytes == '\n' ? bytes : NULL;
        if (!blank) {
            const char *pair = memmem(bytes, length, "\n\n", 2);
            if (pair) blank = pair + 1;
        }
        size_t count = blank ? (size_t)(blank + 1 - bytes) : length;
        size_t room = HEAD_BYTES_MAX - reader->head_length;
        size_t kept = count < room ? count : room;
        memcpy(reader->head + reader->head_length, bytes, kept);
        reader->head_length += kept;
        reader->ends_line = !blank && bytes[count - 1] == '\n';
        if (blank) {
            reader->head[reader->head_length] = 0;
            saw(reader, reader->head, reader->head_length);
            reader->head_length = 0;
        }
        bytes += count;
        length -= count;
    }
}

/* Takes received bytes: chunks, each with a size, as many bytes of events, and a line end. */
static void take(struct reader *reader, const char *bytes, size_t length) {
    while (length > 0) {
        size_t count = 1;
        switch (reader->part) {
        case CHUNK_SIZE:
            if (*bytes == '\n') reader->part = CHUNK_DATA;
            else if (isxdigit((unsigned char)*bytes))
                reader->left = 16 * reader->left +
                               (size_t)(*bytes <= '9' ? *bytes - '0' : (*bytes | 32) - 'a' + 10);
            break;
        case CHUNK_DATA:
            count = reader->left < length ? reader->left : length;
            read_events(reader, bytes, count);
            reader->left -= count;
            if (reader->left == 0) {
                reader->part = CHUNK_END;
                reader->left = 2;
            }
            break;
        case CHUNK_END:
            if (--reader->left == 0) reader->part = CHUNK_SIZE;
            break;
        }
        bytes += count;
        length -= count;
    }
}

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: log_readers PORT READERS AFTER LAST\n");
        return 2;
    }
    int total = atoi(arguments[2]);
    after = strtoull(arguments[3], NULL, 10);
    last = strtoull(arguments[4], NULL, 10);
    if (total < 1 || total > READERS_MAX || last <= after) return fail("bad arguments", total);
    struct sockaddr_in server = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(arguments[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    static char bytes[READ_BYTES];
    char request[256];
    int length = snprintf(request, sizeof request,
                          "GET /actions/events?after=%llu HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n",
                          after, arguments[1]);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    double began = clock_seconds();
    for (int index = 0; index < total; index++) {
        struct reader *reader = &readers[index];
        reader->version = after;
        reader->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(reader->descriptor, (struct sockaddr *)&server, sizeof server) != 0)
            return fail("connect", index);
        if (send(reader->descriptor, request, (size_t)length, MSG_NOSIGNAL) != length)
            return fail("send", index);
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = reader};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, reader->descriptor, &interest) != 0)
            return fail("epoll", index);
    }
    printf("held %d\n", total);
    fflush(stdout);

    unsigned long long received = 0;
    int left = total, whole = 0;
    while (left > 0) {
        struct epoll_event events[EVENTS_MAX];
        int ready = epoll_wait(epoll, events, EVENTS_MAX, 60000);
        if (ready < 0 && errno == EINTR) continue; /* the process was stopped and continued */
        if (ready <= 0) return fail("nothing comes any more", left);
        for (int index = 0; index < ready; index++) {
            struct reader *reader = events[index].data.ptr;
            ssize_t got = recv(reader->descriptor, bytes, READ_BYTES, 0);
            if (got <= 0) return fail("lost", (int)(reader - readers));
            received += (unsigned long long)got;
            const char *body = bytes;
            size_t size = (size_t)got;
            if (!reader->in_body) {
                if (size < 12 || memcmp(bytes + 9, "200", 3) != 0) return fail("refused", left);
                body = memmem(bytes, size, "\r\n\r\n", 4);
                if (!body) return fail("a head that comes in parts", left);
                body += 4;
                size -= (size_t)(body - bytes);
                reader->in_body = 1;
            }
            take(reader, body, size);
            if (reader->is_wrong || reader->is_done) {
                left--;
                whole += !reader->is_wrong;
                epoll_ctl(epoll, EPOLL_CTL_DEL, reader->descriptor, NULL);
                close(reader->descriptor);
            }
        }
    }
    printf("whole %d of %d, bytes %llu, seconds %.3f\n", whole, total, received,
           clock_seconds() - began);
    return whole == total ? 0 : 1;
}
