package import StoreJSON
import StoreTexts

/// An error that a client gets as `application/problem+json` (RFC 9457, protocol 8.1).
///
/// For each kind of problem, a static function makes the problem with its members and headers. The
/// client gets `detail`, so `detail` must not contain a secret.
package struct Problem: Error, Sendable {
    package static let contentType = "application/problem+json"

    package let slug: ProblemSlug
    /// A text of one or two sentences about this occurrence of the problem: the failed attempt, the
    /// exceeded bound, the remedy.
    package let detail: String
    /// The id of the request; `nil` until the server adds the id.
    package var instance: String?
    /// The members that follow the members of RFC 9457, in the order of the JSON text.
    package private(set) var members: [ProblemMember]
    /// Headers that the status requires, such as `Allow` for 405.
    package private(set) var headers: [(name: String, value: String)]

    package init(
        _ slug: ProblemSlug,
        detail: String,
        members: [ProblemMember] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.slug = slug
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    package var status: Int { slug.status }
    package var title: String { ProblemCatalog.title(of: slug) }

    /// The header fields of a response with this problem: `Content-Type`,
    /// `Cache-Control: no-store`, and ``headers``.
    package var responseHeaders: [(name: String, value: String)] {
        [("Content-Type", Problem.contentType), ("Cache-Control", "no-store")] + headers
    }

    /// Returns the same problem with a further header field in its response.
    package func addingHeader(_ field: (String, String)) -> Problem {
        var problem = self
        problem.headers.append(field)
        return problem
    }

    /// Returns the same problem with the id of its request. If `store` is not `nil`, the result
    /// also has the name of the store.
    package func with(instance: String?, store: String? = nil) -> Problem {
        var problem = self
        problem.instance = instance
        if let store { problem.members.append(ProblemMember("store", .string(store))) }
        return problem
    }
}

/// A member of a problem that RFC 9457 does not define, such as `pointer` or `oldest`.
package struct ProblemMember: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case string(String)
        case integer(UInt64)
        case strings([String])
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

// JSON

extension Problem {
    /// The body of a response with this problem: the members of RFC 9457 §3.1, then ``members``.
    package var body: Bytes {
        var writer = JSONWriter()
        writer.object { object in
            object.member("type", slug.path)
            object.member("title", title)
            object.member("status", status)
            object.member("detail", detail)
            if let instance { object.member("instance", instance) }
            for member in members {
                switch member.value {
                case .string(let value): object.member(member.name, value)
                case .integer(let value): object.member(member.name, value)
                case .strings(let values): object.member(member.name, values)
                }
            }
        }
        return Bytes(Self.escaped(writer.byteArray))
    }

    /// Returns the same JSON with escapes in place of characters that a terminal or a log could
    /// interpret. Such characters can come from a client, because the JSON may repeat the client's
    /// pointers and names.
    private static func escaped(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        // In JSON, only strings contain characters beyond ASCII, so an escape is valid in the place
        // of such a character.
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.isPrintable || scalar.value < 0x7F {
                escaped += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                escaped += "\\u".utf8
                escaped += repeatElement(UInt8(ascii: "0"), count: 4 - digits.count)
                escaped += digits.utf8
            }
        }
        return escaped
    }
}

// Values for problems

extension Problem {
    /// The maximum number of bytes of a client's text that a message repeats.
    package static let excerptBytesMax = 128

    /// Returns the first ``excerptBytesMax`` bytes of a client's text, in a form that a message may
    /// repeat. U+FFFD replaces characters that a terminal or a log could interpret.
    package static func excerpt(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= excerptBytesMax else { return result + "…" }
            result.unicodeScalars.append(scalar.isPrintable ? scalar : "\u{FFFD}")
        }
        return result
    }

    static func optionalMember(_ name: String, _ value: String?) -> [ProblemMember] {
        value.map { [ProblemMember(name, .string($0))] } ?? []
    }
}
