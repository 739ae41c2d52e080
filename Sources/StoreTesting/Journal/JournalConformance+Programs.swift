import StoreCore

// The programs that have written.

extension JournalConformance {
    private static func program(_ place: Int) -> WritingProgram {
        WritingProgram(digest: "digest-\(place)", forms: Array(#"[{"name":"n\#(place)"}]"#.utf8))
    }

    static func checkPrograms(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        check.expect("the programs of an empty journal", try journal.programs(), is: [])
        let first = try journal.register(program(1))
        let second = try journal.register(program(2))
        check.expect(first > 0 && second > 0 && first != second, "\(first), \(second) are numbers")
        check.expect("the number of the first again", try journal.register(program(1)), is: first)
        let known = [
            RegisteredProgram(number: second, program: program(2)),
            RegisteredProgram(number: first, program: program(1)),
        ]
        check.expect("both, the last to register at the end", try journal.programs(), is: known)
        var numbers: Set<UInt32> = [first, second]
        for place in 3...RegisteredProgram.countMax + 10 {
            let number = try journal.register(program(place))
            check.expect(numbers.insert(number).inserted, "number \(number) is given twice")
        }
        let kept = try journal.programs()
        check.expect("the number of programs", kept.count, is: RegisteredProgram.countMax)
        check.expect("the last", kept.last?.program, is: program(RegisteredProgram.countMax + 10))
        check.expect("that of the first that is kept", kept.first?.program, is: program(11))
        check.expect(journal.version == 0, "a program has made a version")
    }
}
