package import StoreCore
import StoreJSON
import StoreWire

extension JSONOutput {
    /// Writes a record as the log shows it (protocol 5.1), in one line. If `inFull` is true, adds
    /// the request, the session and the program, which the log does not show. Without `program`,
    /// writes only the number of the program that wrote the record, not the program's forms. A
    /// record in its stored form has its public JSON in `payload`, and its sealed values in
    /// `sealed`.
    package mutating func record(
        _ record: Record,
        inFull: Bool = false,
        writtenBy program: ProgramDescription? = nil,
        payload: [UInt8]? = nil,
        sealed: String? = nil
    ) {
        raw("{\"version\":")
        integer(record.version)
        raw(",\"time\":\"")
        raw(CivilTime(nanosecondsSince1970: record.time).rfc3339(.nanoseconds).utf8)
        raw("\",\"type\":")
        string(record.type)
        raw(",\"payload\":")
        rawOnOneLine(payload ?? record.payload)
        textMember(",\"sealed\":", ifPresent: sealed)
        if let meta = record.meta {
            raw(",\"meta\":")
            rawOnOneLine(meta)
        }
        textMember(",\"principal\":", ifPresent: record.principal?.name)
        textMember(",\"role\":", ifPresent: record.principal?.role)
        if inFull { textMember(",\"requestId\":", ifPresent: record.requestID) }
        if let cause = record.cause {
            raw(",\"cause\":")
            integer(cause)
        }
        textMember(",\"origin\":", ifPresent: record.origin)
        if inFull { textMember(",\"session\":", ifPresent: record.session) }
        if inFull, record.program > 0 {
            raw(program == nil ? ",\"program\":" : ",\"program\":{\"number\":")
            integer(UInt64(record.program))
            if let program {
                raw(",\"forms\":")
                rawOnOneLine(program.forms)
                raw("}")
            }
        }
        if record.isForgotten { raw(",\"forgotten\":true") }
        if record.changed { raw(",\"changed\":true}") } else { raw(",\"changed\":false}") }
    }

    /// Writes a key and its text, unless the text is `nil`.
    private mutating func textMember(_ key: StaticString, ifPresent text: String?) {
        guard let text else { return }
        raw(key)
        string(text)
    }

    /// Writes JSON as the client sent it, with spaces in place of line ends. Line ends only occur
    /// between tokens, because a string can't contain unescaped line ends (RFC 8259 §7).
    private mutating func rawOnOneLine(_ json: [UInt8]) {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        guard json.contains(where: { $0 == feed || $0 == carriage }) else { return raw(json) }
        raw(json.map { $0 == feed || $0 == carriage ? UInt8(ascii: " ") : $0 })
    }
}

extension LogPiece {
    /// Encodes records as server-sent events (protocol 5.2). Requires at least one record, and
    /// versions without a gap. If `earlier` is not `nil`, its frames come first, and its last
    /// version must directly precede the first record's version.
    convenience init(
        _ records: ArraySlice<Record>,
        epoch: Epoch,
        visibility: RecordVisibility,
        extending earlier: LogPiece? = nil
    ) {
        var output = JSONOutput(capacity: 64 << 10)
        var ends = earlier?.frameEnds ?? []
        ends.reserveCapacity(ends.count + records.count)
        earlier?.bytes.withUnsafeBytes { output.raw($0) }
        let epochText = epoch.description
        var recordOwners: [RecordOwner] = earlier?.owners ?? []
        for record in records {
            output.raw("id: ")
            output.raw(epochText.utf8)
            output.raw(":")
            output.integer(record.version)
            output.raw("\ndata: ")
            output.record(record)
            output.raw("\n\n")
            ends.append(output.count)
        }
        if visibility.hasRestrictions { recordOwners += visibility.owners(of: records) }
        let written = output.bytes
        self.init(
            firstVersion: earlier?.firstVersion ?? records.first?.version ?? 0,
            bytes: Bytes(count: written.count) { $0.copyMemory(from: written) },
            frameEnds: ends,
            owners: recordOwners
        )
    }
}

/// The text that names the client of an action in the log, such as `127.0.0.1 curl/8.5.0`. If the
/// client has a session, the session is in the middle: `127.0.0.1 session=0f… curl/8.5.0`.
package enum ClientOrigin {
    /// The maximum number of characters of the client's `User-Agent` that are stored.
    private static let agentCharactersMax = 200
    private static let sessionPrefix = "session="

    package static func text(host: String, session: String?, agent: String?) -> String {
        var text = host
        if let session { text += " " + sessionPrefix + session }
        guard let agent, !agent.isEmpty else { return text }
        // Without the dash, a `User-Agent` that begins with this prefix would be read as a session.
        if agent.utf8.starts(with: sessionPrefix.utf8) { text += " -" }
        return text + " " + agent.prefix(agentCharactersMax)
    }

    /// Returns the session in the text about a client; `nil` if the client had no session, or if
    /// the program itself dispatched the action.
    package static func session(in text: String) -> String? {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = text.utf8[text.utf8.index(after: space)...]
        guard rest.starts(with: sessionPrefix.utf8) else { return nil }
        let name = rest.dropFirst(sessionPrefix.utf8.count).prefix { $0 != UInt8(ascii: " ") }
        return name.isEmpty ? nil : String(Substring(name))
    }
}
