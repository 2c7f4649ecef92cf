#include "json.h"

#include <cstdlib>

namespace {

struct Reader {
    const std::string & text;
    size_t              at = 0;

    void skip() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
            at++;
        }
    }

    bool word(const char * expected) {
        const std::string word = expected;
        if (text.compare(at, word.size(), word) != 0) {
            return false;
        }
        at += word.size();
        return true;
    }

    static void append_utf8(std::string & out, unsigned point) {
        if (point < 0x80) {
            out += (char) point;
        } else if (point < 0x800) {
            out += (char) (0xc0 | point >> 6);
            out += (char) (0x80 | (point & 0x3f));
        } else if (point < 0x10000) {
            out += (char) (0xe0 | point >> 12);
            out += (char) (0x80 | (point >> 6 & 0x3f));
            out += (char) (0x80 | (point & 0x3f));
        } else {
            out += (char) (0xf0 | point >> 18);
            out += (char) (0x80 | (point >> 12 & 0x3f));
            out += (char) (0x80 | (point >> 6 & 0x3f));
            out += (char) (0x80 | (point & 0x3f));
        }
    }

    bool hex(unsigned & point) {
        if (at + 4 > text.size()) {
            return false;
        }
        point = (unsigned) strtoul(text.substr(at, 4).c_str(), nullptr, 16);
        at += 4;
        return true;
    }

    bool string(std::string & out) {
        at++;
        while (at < text.size() && text[at] != '"') {
            if (text[at] != '\\') {
                out += text[at++];
                continue;
            }
            const char letter = at + 1 < text.size() ? text[at + 1] : 0;
            at += 2;
            unsigned point = 0, low = 0;
            switch (letter) {
                case 'n': out += '\n'; break;
                case 't': out += '\t'; break;
                case 'r': out += '\r'; break;
                case 'b': out += '\b'; break;
                case 'f': out += '\f'; break;
                case 'u':
                    if (!hex(point)) {
                        return false;
                    }
                    if (point >= 0xd800 && point < 0xdc00 && word("\\u") && hex(low)) {
                        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                    }
                    append_utf8(out, point);
                    break;
                case 0: return false;
                default: out += letter;
            }
        }
        return at++ < text.size();
    }

    bool value(Json & out) {
        skip();
        const char first = at < text.size() ? text[at] : 0;
        if (first == '"') {
            out.kind = Json::String;
            return string(out.text);
        }
        if (first == '[' || first == '{') {
            return group(out, first == '[');
        }
        if (word("null")) {
            return true;
        }
        if (word("true") || word("false")) {
            out.kind  = Json::Bool;
            out.truth = text[at - 2] == 'u';
            return true;
        }
        char * end = nullptr;
        out.kind   = Json::Number;
        out.number = strtod(text.c_str() + at, &end);
        const bool moved = end != text.c_str() + at;
        at = (size_t) (end - text.c_str());
        return moved;
    }

    bool group(Json & out, bool is_array) {
        const char close = is_array ? ']' : '}';
        out.kind         = is_array ? Json::Array : Json::Object;
        at++;
        for (skip(); at < text.size() && text[at] != close; skip()) {
            std::string name;
            Json        item;
            if (!is_array && (text[at] != '"' || !string(name) || (skip(), text[at]) != ':' || at++ == 0)) {
                return false;
            }
            if (!value(item)) {
                return false;
            }
            if (is_array) {
                out.items.push_back(item);
            } else {
                out.fields[name] = item;
            }
            skip();
            if (at < text.size() && text[at] == ',') {
                at++;
            }
        }
        return at++ < text.size();
    }
};

} // namespace

const Json & Json::operator[](const std::string & name) const {
    static const Json nothing;
    const auto        found = fields.find(name);
    return found == fields.end() ? nothing : found->second;
}

bool read_json(const std::string & text, Json & value) {
    Reader reader{ text };
    if (!reader.value(value)) {
        return false;
    }
    reader.skip();
    return reader.at == text.size();
}

std::string quoted(const std::string & text) {
    std::string out = "\"";
    for (const char letter : text) {
        const unsigned char byte = (unsigned char) letter;
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += letter;
        } else if (byte < 0x20 || byte >= 0x7f) {
            char code[8];
            snprintf(code, sizeof code, "\\u%04x", byte < 0x80 ? byte : 0xfffd);
            out += code;
        } else {
            out += letter;
        }
    }
    return out + "\"";
}
