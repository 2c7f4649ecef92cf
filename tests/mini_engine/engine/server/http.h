// A small HTTP/1.1 server: one thread a connection, kept alive, with chunked answers for streams.
#pragma once

#include <functional>
#include <string>

struct HttpRequest {
    std::string method;
    std::string path;
    std::string query;
    std::string body;
};

class HttpAnswer {
  public:
    explicit HttpAnswer(int socket) : socket_(socket) {}

    // The whole answer at once.
    bool send(int status, const std::string & body);

    // The beginning of a stream of events, one event, and the end; false when nobody listens any more.
    bool begin_events();
    bool send_event(const std::string & data);
    bool end_events();

  private:
    bool write(const std::string & bytes);

    int socket_;
};

using HttpHandler = std::function<void(const HttpRequest &, HttpAnswer &)>;

// Opens the port (0: any free one) and gives it back; -1 when it is taken.
int http_listen(const std::string & host, int & port);

// Answers requests for ever.
void http_serve(int listener, const HttpHandler & handler);
