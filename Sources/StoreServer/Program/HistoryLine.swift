import StoreAuthentication
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJSON
import StoreJournalSQLite
import StoreWire

/// An applied action as a line of an export.
struct HistoryLine {
    let record: Record
    /// The program that wrote the record, if this line is the first line from that program;
    /// otherwise `nil`.
    let introducedProgram: ProgramDescription?

    /// The bytes of the line, with the line feed.
    var bytes: [UInt8] {
        var line = JSONOutput(capacity: 160 + record.byteCount)
        let stored = SealedPayload(record.payload)
        let sealed = stored.map { Base64URL.encode($0.sealedValues) }
        line.record(
            record,
            inFull: true,
            writtenBy: introducedProgram,
            payload: stored?.json,
            sealed: sealed.map { String(decoding: $0, as: UTF8.self) }
        )
        line.byte(UInt8(ascii: "\n"))
        return line.array
    }
}

extension HistoryLine {
    /// Reads a line. `numbers` gives the record the number that its program has in the journal.
    init(reading line: [UInt8], _ numbers: inout ImportedPrograms) throws {
        let object: JSONNode
        do {
            object = try JSONDocument(parsing: line, limits: .unbounded).root
        } catch {
            throw CommandFailure("it is not JSON: \(error.message)")
        }
        guard let version = object.member(named: "version").flatMap({ UInt64($0.sourceText) }),
            let text = object.member(named: "time")?.stringValue,
            let time = CivilTime.nanoseconds(rfc3339: text),
            let type = object.member(named: "type")?.stringValue,
            let payload = object.member(named: "payload"),
            let changed = object.member(named: "changed")
        else {
            throw CommandFailure(
                "it needs version, time (RFC 3339, in UTC), type, payload and changed"
            )
        }
        let program = try ImportedPrograms.ProgramReference(object.member(named: "program"))
        self.introducedProgram = program?.introducedProgram
        record = Record(
            version: version,
            time: time,
            type: type,
            payload: try Self.payload(payload, object.member(named: "sealed")),
            meta: object.member(named: "meta").map { Array($0.source) },
            principal: Self.principal(of: object),
            requestID: object.member(named: "requestId")?.stringValue,
            changed: changed.sourceText == "true",
            cause: object.member(named: "cause").flatMap { UInt64($0.sourceText) },
            origin: object.member(named: "origin")?.stringValue,
            session: object.member(named: "session")?.stringValue,
            program: try program.map { try numbers.registerIfIntroduced($0) } ?? 0
        )
    }

    /// Returns the stored payload: the JSON, or the JSON with its sealed values.
    private static func payload(_ json: JSONNode, _ sealed: JSONNode?) throws -> [UInt8] {
        guard let sealed else { return Array(json.source) }
        guard let values = sealed.stringValue.flatMap({ Base64URL.decode($0.utf8) }),
            let stored = SealedPayload(json: Array(json.source), sealedValues: values)
        else { throw CommandFailure("its member 'sealed' has no valid values") }
        return stored.payload
    }

    /// Returns the principal of a line. A line of an older export has role and name in a single
    /// text, such as `author/ada`.
    private static func principal(of line: JSONNode) -> ActionPrincipal? {
        guard let name = line.member(named: "principal")?.stringValue else { return nil }
        guard let role = line.member(named: "role")?.stringValue else {
            return ActionPrincipal(name)
        }
        return ActionPrincipal(name: name, role: role)
    }
}

/// The programs that wrote the imported records: the number of each program in the file, and in the
/// journal. The first line from a program has the forms of its actions,
/// `"program":{"number":2,"forms":[…]}`. Later lines have only its number, `"program":2`.
struct ImportedPrograms {
    struct ProgramReference {
        let fileNumber: UInt32
        /// The program with its forms; `nil` if an earlier line has the forms.
        let introducedProgram: ProgramDescription?

        /// Reads the reference to a program; returns `nil` for a line without a program.
        init?(_ node: JSONNode?) throws {
            guard let node else { return nil }
            if let number = UInt32(node.sourceText), number > 0 {
                (self.fileNumber, introducedProgram) = (number, nil)
                return
            }
            guard let text = node.member(named: "number")?.sourceText, let number = UInt32(text),
                number > 0, let forms = node.member(named: "forms"),
                let read = ProgramForms(ProgramDescription(digest: "", forms: Array(forms.source)))
            else {
                throw CommandFailure(
                    "its program is not valid; allowed are a number from 1, or an object with "
                        + "number and forms"
                )
            }
            (self.fileNumber, introducedProgram) = (number, read.programDescription)
        }
    }

    private let journal: any Journal
    private var journalNumbersByFileNumber: [UInt32: UInt32] = [:]
    /// The names of actions in records without a program.
    private(set) var recordNamesWithoutProgram: Set<String> = []

    init(into journal: any Journal) { self.journal = journal }

    /// Adds the name of the record's action to ``recordNamesWithoutProgram``, if the record has no
    /// program.
    mutating func noteIfWithoutProgram(_ record: Record) {
        guard record.program == 0, ClientRequest(recorded: record.type) == nil else { return }
        recordNamesWithoutProgram.insert(RecordName(record.type).pattern)
    }

    /// Returns the number that a program has in the journal. If `mention` has the forms of the
    /// program, first registers the program with these forms in the journal.
    mutating func registerIfIntroduced(_ mention: ProgramReference) throws -> UInt32 {
        if let program = mention.introducedProgram {
            do {
                journalNumbersByFileNumber[mention.fileNumber] = try journal.register(program)
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let number = journalNumbersByFileNumber[mention.fileNumber] else {
            throw CommandFailure(
                "no earlier line has the forms of program \(mention.fileNumber)"
            )
        }
        return number
    }
}
