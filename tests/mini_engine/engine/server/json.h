// Just enough JSON for requests and answers.
#pragma once

#include <map>
#include <string>
#include <vector>

struct Json {
    enum Kind { Null, Bool, Number, String, Array, Object } kind = Null;
    bool                        truth  = false;
    double                      number = 0;
    std::string                 text;
    std::vector<Json>           items;
    std::map<std::string, Json> fields;

    // The field of that name; null when there is none.
    const Json & operator[](const std::string & name) const;
};

// Reads a whole text; false when it is not JSON.
bool read_json(const std::string & text, Json & value);

// The text in quotes; bytes that are not UTF-8 are replaced.
std::string quoted(const std::string & text);
