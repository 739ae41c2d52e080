package import StoreJSON
import StoreTexts

/// An error in the form that the client gets: `application/problem+json` (RFC 9457, protocol 8.1).
///
/// The functions that make a ``Problem`` set the members and headers of each kind, so that a
/// handler only names the error. The client gets `detail`, so it must not contain a secret.
package struct Problem: Error, Sendable {
    package static let contentType = "application/problem+json"

    package let slug: ProblemSlug
    /// A sentence or two about this occurrence: the attempt, the bound, the remedy.
    package let detail: String
    /// The id of the request; `nil` until it is known.
    package var instance: String?
    /// The members that follow the members of RFC 9457, in the order of the JSON text.
    package private(set) var members: [ProblemMember]
    /// Headers that the status requires, such as `Allow` of 405.
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

    /// The header fields of a response with this problem: the type of the body, `no-store`, and the
    /// fields of this kind of problem.
    package var responseHeaders: [(name: String, value: String)] {
        [("Content-Type", Problem.contentType), ("Cache-Control", "no-store")] + headers
    }

    /// Returns the same problem with a further header field in its response.
    package func with(_ field: (String, String)) -> Problem {
        var problem = self
        problem.headers.append(field)
        return problem
    }

    /// Returns the same problem with the id of its request, and with the name of the store if it
    /// has one.
    package func at(instance: String?, in store: String? = nil) -> Problem {
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
    /// The body: the members of RFC 9457 §3.1, then the members of this kind of problem.
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
        return Bytes(Self.escaped(writer.array))
    }

    /// Returns the same JSON with escapes for all characters that a terminal or a log could
    /// interpret. The JSON may repeat a pointer or a name with the characters that the client sent.
    private static func escaped(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        // Only strings contain characters that are not ASCII.
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

// Parts of problems

extension Problem {
    /// The maximum number of bytes of a client's own text in a message.
    package static let excerptBytesMax = 128

    /// Returns a client's text in a form that is safe to repeat: at most ``excerptBytesMax`` bytes.
    /// U+FFFD replaces characters that a terminal or a log could interpret.
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

    static func optional(_ name: String, _ value: String?) -> [ProblemMember] {
        value.map { [ProblemMember(name, .string($0))] } ?? []
    }
}
