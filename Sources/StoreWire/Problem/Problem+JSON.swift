import StoreTexts

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
    /// interpret. A pointer and a name are repeated with the characters that the client sent.
    private static func escaped(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        // Only strings contain characters that are not ASCII.
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.isPrintable || scalar.value < 0x7F {
                escaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                escaped.append(contentsOf: "\\u".utf8)
                escaped.append(
                    contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.count)
                )
                escaped.append(contentsOf: digits.utf8)
            }
        }
        return escaped
    }
}
