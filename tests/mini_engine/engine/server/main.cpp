// llama-server in small: the same options, routes and JSON names for what our probes ask, on the mini model.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "http.h"
#include "json.h"
#include "mini.h"
#include "scheduler.h"

#ifndef MINI_BUILD_COMMIT
#define MINI_BUILD_COMMIT "unknown"
#endif

static std::string text_of(const std::vector<int> & ids, size_t from = 0) {
    std::string out;
    for (size_t i = from; i < ids.size(); i++) {
        const int byte = mini_byte(ids[i]);
        if (byte >= 0) {
            out += (char) byte;
        }
    }
    return out;
}

static std::string list_of(const std::vector<int> & ids, size_t from = 0) {
    std::string out = "[";
    for (size_t i = from; i < ids.size(); i++) {
        out += (i > from ? "," : "") + std::to_string(ids[i]);
    }
    return out + "]";
}

static std::string error_of(int code, const std::string & type, const std::string & message) {
    return "{\"error\":{\"code\":" + std::to_string(code) + ",\"message\":" + quoted(message) + ",\"type\":" +
           quoted(type) + "}}";
}

static std::vector<int> tokens_of(const Json & prompt) {
    std::vector<int> ids;
    if (prompt.kind == Json::Array) {
        for (const Json & item : prompt.items) {
            ids.push_back((int) item.number);
        }
        return ids;
    }
    ids.push_back(MINI_TOKEN_BOS);
    for (const char letter : prompt.text) {
        ids.push_back(MINI_TOKEN_BYTE + (unsigned char) letter);
    }
    return ids;
}

static std::string probabilities_of(const Task & task, size_t from, size_t to) {
    std::string out = "[";
    for (size_t i = from; i < to; i++) {
        std::string top;
        char        number[32];
        for (const Candidate & each : task.candidates[i]) {
            snprintf(number, sizeof number, "%.6f", each.logprob);
            top += (top.empty() ? "" : ",") + ("{\"id\":" + std::to_string(each.id)) +
                   ",\"token\":" + quoted(text_of({ each.id })) + ",\"bytes\":[" + std::to_string(mini_byte(each.id)) +
                   "],\"logprob\":" + number + "}";
        }
        if (task.candidates[i].empty()) {
            continue;
        }
        const Candidate & best = task.candidates[i][0];
        snprintf(number, sizeof number, "%.6f", best.logprob);
        out += (out.size() > 1 ? "," : "") + ("{\"id\":" + std::to_string(best.id)) +
               ",\"token\":" + quoted(text_of({ best.id })) + ",\"bytes\":[" + std::to_string(mini_byte(best.id)) +
               "],\"logprob\":" + number + ",\"top_logprobs\":[" + top + "]}";
    }
    return out + "]";
}

static std::string timings_of(const Task & task) {
    const int read = (int) task.prompt.size() - task.cached;
    char      out[512];
    snprintf(out, sizeof out,
             "{\"cache_n\":%d,\"prompt_n\":%d,\"prompt_ms\":%.3f,\"prompt_per_token_ms\":%.6f,"
             "\"prompt_per_second\":%.3f,\"predicted_n\":%zu,\"predicted_ms\":%.3f,\"predicted_per_token_ms\":%.6f,"
             "\"predicted_per_second\":%.3f}",
             task.cached, read, task.prompt_ms, task.prompt_ms / (read ? read : 1),
             1e3 * read / (task.prompt_ms > 0 ? task.prompt_ms : 1), task.ids.size(), task.predicted_ms,
             task.predicted_ms / (double) (task.ids.empty() ? 1 : task.ids.size()),
             1e3 * (double) task.ids.size() / (task.predicted_ms > 0 ? task.predicted_ms : 1));
    return out;
}

static std::string final_json(const Task & task, bool streamed, bool return_tokens) {
    const std::vector<int> tokens = streamed || !return_tokens ? std::vector<int>() : task.ids;
    std::string out = "{\"index\":0,\"content\":" + quoted(streamed ? "" : text_of(task.ids)) +
                      ",\"tokens\":" + list_of(tokens) + ",\"id_slot\":" + std::to_string(task.slot) +
                      ",\"stop\":true,\"model\":\"mini\",\"tokens_predicted\":" + std::to_string(task.ids.size()) +
                      ",\"tokens_evaluated\":" + std::to_string(task.prompt.size()) +
                      ",\"generation_settings\":{\"temperature\":0.0,\"n_predict\":" + std::to_string(task.n_predict) +
                      "},\"prompt\":" + quoted(text_of(task.prompt)) +
                      ",\"has_new_line\":false,\"truncated\":false,\"stop_type\":\"limit\",\"stopping_word\":\"\"" +
                      ",\"tokens_cached\":" + std::to_string(task.prompt.size() + task.ids.size() - 1) +
                      ",\"timings\":" + timings_of(task);
    if (!streamed && task.n_probs > 0) {
        out += ",\"completion_probabilities\":" + probabilities_of(task, 0, task.candidates.size());
    }
    return out + "}";
}

static std::string partial_json(const Task & task, size_t number, bool return_tokens) {
    const std::vector<int> one = { task.ids[number] };
    std::string out = "{\"index\":0,\"content\":" + quoted(text_of(one)) +
                      ",\"tokens\":" + list_of(return_tokens ? one : std::vector<int>()) +
                      ",\"stop\":false,\"id_slot\":" + std::to_string(task.slot) +
                      ",\"tokens_predicted\":" + std::to_string(number + 1) +
                      ",\"tokens_evaluated\":" + std::to_string(task.prompt.size());
    if (task.n_probs > 0) {
        out += ",\"completion_probabilities\":" + probabilities_of(task, number, number + 1);
    }
    return out + "}";
}

static std::string progress_json(const Task & task) {
    return "{\"index\":0,\"content\":\"\",\"tokens\":[],\"stop\":false,\"id_slot\":" + std::to_string(task.slot) +
           ",\"tokens_predicted\":0,\"tokens_evaluated\":" + std::to_string(task.prompt.size()) +
           ",\"prompt_progress\":{\"total\":" + std::to_string(task.prompt.size()) +
           ",\"cache\":" + std::to_string(task.cached) + ",\"processed\":" + std::to_string(task.processed) +
           ",\"time_ms\":0}}";
}

static void complete(Scheduler & scheduler, const HttpRequest & request, HttpAnswer & answer) {
    Json body;
    if (!read_json(request.body, body) || (body["prompt"].kind != Json::String && body["prompt"].kind != Json::Array)) {
        answer.send(400, error_of(400, "invalid_request_error", "a request needs a JSON body with a prompt"));
        return;
    }
    const auto task    = std::make_shared<Task>();
    task->prompt       = tokens_of(body["prompt"]);
    task->n_predict    = body["n_predict"].kind == Json::Number ? (int) body["n_predict"].number : 16;
    task->n_probs      = body["n_probs"].kind == Json::Number ? (int) body["n_probs"].number : 0;
    task->cache_prompt = body["cache_prompt"].kind == Json::Bool ? body["cache_prompt"].truth : true;
    task->wanted_slot  = body["id_slot"].kind == Json::Number ? (int) body["id_slot"].number : -1;
    const Settings & settings = scheduler.settings();
    if (task->prompt.empty() || (int) task->prompt.size() > settings.context / (settings.unified ? 1 : settings.slots)) {
        answer.send(400, error_of(400, "exceed_context_size_error", "the request exceeds the available context size"));
        return;
    }
    const bool streamed = body["stream"].truth;
    const bool tokens   = body["return_tokens"].truth;
    const bool progress = body["return_progress"].truth;
    scheduler.submit(task);
    std::unique_lock<std::mutex> lock(task->mutex);
    bool                         heard = !streamed || answer.begin_events();
    size_t                       sent  = 0;
    int                          told  = 0;
    while (!task->done || (streamed && sent < task->ids.size())) {
        const bool news = streamed && (sent < task->ids.size() || (progress && told < task->processed));
        if (!news) {
            task->changed.wait(lock);
            continue;
        }
        if (progress && told < task->processed) {
            told  = task->processed;
            heard = heard && answer.send_event(progress_json(*task));
        }
        for (; sent < task->ids.size(); sent++) {
            heard = heard && answer.send_event(partial_json(*task, sent, tokens));
        }
        task->abandoned = !heard;
    }
    if (streamed) {
        answer.send_event(final_json(*task, true, tokens));
        answer.end_events();
    } else {
        answer.send(200, final_json(*task, false, tokens));
    }
}

static void answer_request(Scheduler & scheduler, const mini_model & model, const HttpRequest & request,
                           HttpAnswer & answer) {
    const Settings & settings = scheduler.settings();
    if (request.path == "/health" || request.path == "/v1/health") {
        answer.send(200, "{\"status\":\"ok\"}");
    } else if (request.path == "/props") {
        answer.send(200, "{\"default_generation_settings\":{\"n_ctx\":" +
                             std::to_string(settings.context / settings.slots) +
                             "},\"total_slots\":" + std::to_string(settings.slots) +
                             ",\"model_path\":\"mini\",\"model_size\":" + std::to_string(model.size) +
                             ",\"build_info\":" + quoted(MINI_BUILD_COMMIT) + "}");
    } else if (request.path == "/slots") {
        answer.send(200, scheduler.slots_json());
    } else if (request.method == "POST" && request.path == "/tokenize") {
        Json body;
        read_json(request.body, body);
        std::vector<int> ids = tokens_of(body["content"]);
        if (!body["add_special"].truth) {
            ids.erase(ids.begin());
        }
        answer.send(200, "{\"tokens\":" + list_of(ids) + "}");
    } else if (request.method == "POST" && (request.path == "/completion" || request.path == "/completions")) {
        complete(scheduler, request, answer);
    } else {
        answer.send(404, error_of(404, "not_found_error", "File Not Found"));
    }
}

int main(int count, char ** words) {
    Settings    settings;
    std::string host = "127.0.0.1", path;
    int         port = 8080;
    for (int i = 1; i < count; i++) {
        const std::string name  = words[i];
        const std::string value = i + 1 < count ? words[i + 1] : "";
        if (name == "-m" || name == "--model") {
            path = value;
        } else if (name == "--host") {
            host = value;
        } else if (name == "--port") {
            port = atoi(value.c_str());
        } else if (name == "-c" || name == "--ctx-size") {
            settings.context = atoi(value.c_str());
        } else if (name == "-np" || name == "--parallel") {
            settings.slots = atoi(value.c_str());
        } else if (name == "-b" || name == "--batch-size") {
            settings.batch = atoi(value.c_str());
        } else if (name == "-kvu" || name == "--kv-unified") {
            settings.unified = true;
        } else if (name == "-v" || name == "--verbose" || name == "-lv" || name == "--verbosity") {
            settings.verbose = true;
        } else if (name == "--version") {
            fprintf(stderr, "version: 1 (%s)\n", MINI_BUILD_COMMIT);
            return 0;
        }
    }
    log_line("system_info: n_threads = 1 | MINI : STEP = 1 | SLOTS = %d | ", settings.slots);
    mini_model model;
    if (mini_load(path.c_str(), &model) != 0) {
        log_line("main: error: failed to load model '%s'", path.c_str());
        return 1;
    }
    const int listener = http_listen(host, port);
    if (listener < 0) {
        log_line("main: error: couldn't bind HTTP server socket, hostname: %s, port: %d", host.c_str(), port);
        return 1;
    }
    const auto end = [](int) { _Exit(0); };
    signal(SIGTERM, end);
    signal(SIGINT, end);
#ifdef MINI_GREETING
    log_line("main: greetings");
#endif
    Scheduler   scheduler(model, settings);
    std::thread worker([&] { scheduler.run(); });
    log_line("main: model loaded");
    log_line("main: server is listening on http://%s:%d", host.c_str(), port);
    http_serve(listener, [&](const HttpRequest & request, HttpAnswer & answer) {
        answer_request(scheduler, model, request, answer);
    });
    worker.join();
    return 0;
}
