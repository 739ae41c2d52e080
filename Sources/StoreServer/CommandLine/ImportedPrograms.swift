import StoreCommandLine
import StoreCore
import StoreHistory
import StoreWire

/// The programs whose records are imported: their numbers in the file, and in the journal.
///
/// The first line of each program's records has the forms of its actions,
/// `"program":{"number":2,"forms":[…]}`; the other lines have its number, `"program":2`.
struct ImportedPrograms {
    /// The mention of a program in a line.
    struct Mention {
        let number: UInt32
        /// The program with its forms; `nil` if an earlier line has the forms.
        let program: WritingProgram?

        /// Reads a mention; returns `nil` for a line without a program.
        ///
        /// - Throws: `HistoryCommandError` if the member has another form.
        init?(_ node: JSONNode?) throws {
            guard let node else { return nil }
            if let number = UInt32(node.sourceText), number > 0 {
                (self.number, program) = (number, nil)
                return
            }
            guard let text = node.member(named: "number")?.sourceText, let number = UInt32(text),
                number > 0, let forms = node.member(named: "forms"),
                let read = ProgramForms(WritingProgram(digest: "", forms: Array(forms.source)))
            else {
                throw HistoryCommandError(
                    "its program is not valid; allowed are a number from 1, or an object with "
                        + "number and forms"
                )
            }
            (self.number, program) = (number, read.program)
        }
    }

    private let journal: any Journal
    private var numbers: [UInt32: UInt32] = [:]
    /// The names of the records whose program is unknown.
    private(set) var unknownNames: Set<String> = []

    init(into journal: any Journal) {
        self.journal = journal
    }

    /// Notes the name of a record if it is an action's and has no program.
    mutating func note(_ record: Record) {
        guard record.program == 0, ClientRequest(recorded: record.type) == nil else { return }
        unknownNames.insert(RecordName(record.type).pattern)
    }

    /// Returns the number of a program in the journal, which keeps its forms from now on.
    ///
    /// - Throws: `HistoryCommandError` if the forms are missing or can't be kept.
    mutating func number(of mention: Mention) throws -> UInt32 {
        if let program = mention.program {
            do { numbers[mention.number] = try journal.register(program) } catch {
                throw HistoryCommandError(error)
            }
        }
        guard let number = numbers[mention.number] else {
            throw HistoryCommandError(
                "no line before it has the forms of program \(mention.number)"
            )
        }
        return number
    }
}
