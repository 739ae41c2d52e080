/* The least possible cost of a broadcast: an epoll loop that accepts and then only calls send().
 *
 *   fanout COUNT BYTES
 *
 * Prints its port, waits for COUNT clients, answers each with a response head, prints "held", and then
 * sends BYTES to all of them for every line on its standard input. Ends when its input ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS_MAX = 19000 };

static void send_all(int client, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = client, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else {
            return;
        }
    }
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: fanout COUNT BYTES\n");
        return 2;
    }
    int clients = atoi(arguments[1]);
    size_t length = (size_t)atoi(arguments[2]);
    if (clients < 1 || clients > CLIENTS_MAX || length < 1) return 2;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4096) != 0) return 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    static int sockets[CLIENTS_MAX];
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    for (int client = 0; client < clients; client++) {
        char request[1024];
        sockets[client] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (sockets[client] < 0 || recv(sockets[client], request, sizeof request, 0) <= 0) return 1;
        send_all(sockets[client], head, sizeof head - 1);
    }
    puts("held");
    fflush(stdout);

    char *frame = malloc(length);
    if (frame == NULL) return 1;
    memset(frame, 'x', length);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = STDIN_FILENO};
    epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    char line[64];
    while (epoll_wait(epoll, &event, 1, -1) == 1 && read(STDIN_FILENO, line, sizeof line) > 0) {
        for (int client = 0; client < clients; client++) send_all(sockets[client], frame, length);
    }
    return 0;
}
