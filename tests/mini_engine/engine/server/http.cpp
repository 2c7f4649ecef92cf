#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

bool HttpAnswer::write(const std::string & bytes) {
    for (size_t sent = 0; sent < bytes.size();) {
        const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) {
            return false;
        }
        sent += (size_t) now;
    }
    return true;
}

bool HttpAnswer::send(int status, const std::string & body) {
    return write("HTTP/1.1 " + std::to_string(status) + (status == 200 ? " OK" : " Error") +
                 "\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
}

bool HttpAnswer::begin_events() {
    return write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool HttpAnswer::send_event(const std::string & data) {
    const std::string event = "data: " + data + "\n\n";
    char              size[32];
    snprintf(size, sizeof size, "%zx\r\n", event.size());
    return write(size + event + "\r\n");
}

bool HttpAnswer::end_events() {
    return write("0\r\n\r\n");
}

int http_listen(const std::string & host, int & port) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int yes      = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port   = htons((uint16_t) port);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    socklen_t size = sizeof address;
    if (bind(listener, (sockaddr *) &address, size) != 0 || listen(listener, 64) != 0) {
        close(listener);
        return -1;
    }
    getsockname(listener, (sockaddr *) &address, &size);
    port = ntohs(address.sin_port);
    return listener;
}

static size_t content_length(const std::string & head) {
    for (size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
        if (strncasecmp(head.c_str() + at + 2, "content-length:", 15) == 0) {
            return (size_t) strtoul(head.c_str() + at + 17, nullptr, 10);
        }
    }
    return 0;
}

static void serve_connection(int socket, const HttpHandler & handler) {
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::string waiting;
    char        bytes[65536];
    for (;;) {
        size_t end  = waiting.find("\r\n\r\n");
        size_t need = end == std::string::npos ? 0 : end + 4 + content_length(waiting.substr(0, end));
        if (end == std::string::npos || waiting.size() < need) {
            const ssize_t got = recv(socket, bytes, sizeof bytes, 0);
            if (got <= 0) {
                break;
            }
            waiting.append(bytes, (size_t) got);
            continue;
        }
        HttpRequest       request;
        const std::string first  = waiting.substr(0, waiting.find("\r\n"));
        const size_t      space  = first.find(' ');
        const std::string target = first.substr(space + 1, first.rfind(' ') - space - 1);
        const size_t      mark   = target.find('?');
        request.method           = first.substr(0, space);
        request.path             = target.substr(0, mark);
        request.query            = mark == std::string::npos ? "" : target.substr(mark + 1);
        request.body             = waiting.substr(end + 4, need - end - 4);
        waiting.erase(0, need);
        HttpAnswer answer(socket);
        handler(request, answer);
    }
    close(socket);
}

void http_serve(int listener, const HttpHandler & handler) {
    for (;;) {
        const int socket = accept(listener, nullptr, nullptr);
        if (socket >= 0) {
            std::thread(serve_connection, socket, handler).detach();
        }
    }
}
