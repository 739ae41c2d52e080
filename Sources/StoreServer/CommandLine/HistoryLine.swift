import StoreCommandLine
import StoreCore
import StoreHistory
import StoreWire

/// An applied action as a line of an export.
struct HistoryLine {
    let record: Record
    /// The program that wrote the record, if this is the first line of its records.
    let program: WritingProgram?

    init(_ record: Record, writtenBy program: WritingProgram?) {
        self.record = record
        self.program = program
    }

    /// The bytes of the line, with its end.
    var bytes: [UInt8] {
        var line = JSONOutput(capacity: 160 + record.bytes)
        line.record(record, inFull: true, writtenBy: program)
        line.byte(UInt8(ascii: "\n"))
        return line.array
    }

    /// Reads a line. The record gets the number of its program in `numbers`.
    ///
    /// - Throws: `HistoryCommandError`, which names the missing member, and the errors of
    ///   `numbers`.
    init(reading line: [UInt8], _ numbers: inout ImportedPrograms) throws {
        let object: JSONNode
        do {
            object = try JSONDocument(parsing: line, limits: .unbounded).root
        } catch {
            throw HistoryCommandError("it is not JSON: \(error.message)")
        }
        guard let version = object.member(named: "version").flatMap({ UInt64($0.sourceText) }),
            let text = object.member(named: "time")?.stringValue,
            let time = CivilTime.nanoseconds(rfc3339: text),
            let type = object.member(named: "type")?.stringValue,
            let payload = object.member(named: "payload"),
            let changed = object.member(named: "changed")
        else {
            throw HistoryCommandError(
                "it needs version, time (RFC 3339, in UTC), type, payload and changed"
            )
        }
        let program = try ImportedPrograms.Mention(object.member(named: "program"))
        self.program = program?.program
        record = Record(
            version: version,
            time: time,
            type: type,
            payload: Array(payload.source),
            meta: object.member(named: "meta").map { Array($0.source) },
            principal: Self.principal(of: object),
            requestID: object.member(named: "requestId")?.stringValue,
            changed: changed.sourceText == "true",
            cause: object.member(named: "cause").flatMap { UInt64($0.sourceText) },
            origin: object.member(named: "origin")?.stringValue,
            session: object.member(named: "session")?.stringValue,
            program: try program.map { try numbers.number(of: $0) } ?? 0
        )
    }

    /// Returns the principal of a line. An older line has role and name in one text, `author/ada`.
    private static func principal(of line: JSONNode) -> ActionPrincipal? {
        guard let name = line.member(named: "principal")?.stringValue else { return nil }
        guard let role = line.member(named: "role")?.stringValue else {
            return ActionPrincipal(name)
        }
        return ActionPrincipal(name: name, role: role)
    }
}
