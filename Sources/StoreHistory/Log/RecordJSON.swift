package import StoreCore
import StoreWire

extension JSONOutput {
    /// Writes a record as the log shows it (protocol 5.1), in one line.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - inFull: adds the request, the session and the program, which the log does not show.
    ///   - program: the program that wrote the record, written with the forms of its actions; `nil`
    ///     for only its number.
    package mutating func record(
        _ record: Record,
        inFull: Bool = false,
        writtenBy program: WritingProgram? = nil
    ) {
        raw("{\"version\":")
        integer(record.version)
        raw(",\"time\":\"")
        raw(CivilTime(nanosecondsSince1970: record.time).rfc3339(.nanoseconds).utf8)
        raw("\",\"type\":")
        string(record.type)
        raw(",\"payload\":")
        line(record.payload)
        if let meta = record.meta {
            raw(",\"meta\":")
            line(meta)
        }
        if let principal = record.principal {
            raw(",\"principal\":")
            string(principal.name)
            if let role = principal.role {
                raw(",\"role\":")
                string(role)
            }
        }
        if inFull, let request = record.requestID {
            raw(",\"requestId\":")
            string(request)
        }
        if let cause = record.cause {
            raw(",\"cause\":")
            integer(cause)
        }
        if let origin = record.origin {
            raw(",\"origin\":")
            string(origin)
        }
        if inFull, let session = record.session {
            raw(",\"session\":")
            string(session)
        }
        if inFull, record.program > 0 {
            raw(program == nil ? ",\"program\":" : ",\"program\":{\"number\":")
            integer(UInt64(record.program))
            if let program {
                raw(",\"forms\":")
                line(program.forms)
                raw("}")
            }
        }
        if record.changed { raw(",\"changed\":true}") } else { raw(",\"changed\":false}") }
    }

    /// Writes JSON as its client sent it, with spaces in place of line ends. Line ends only occur
    /// between tokens, because a string can't contain them unescaped (RFC 8259 §7).
    private mutating func line(_ json: [UInt8]) {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        guard json.contains(where: { $0 == feed || $0 == carriage }) else { return raw(json) }
        raw(json.map { $0 == feed || $0 == carriage ? UInt8(ascii: " ") : $0 })
    }
}
