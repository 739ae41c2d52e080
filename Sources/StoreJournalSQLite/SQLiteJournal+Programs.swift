public import StoreCore

extension SQLiteJournal {
    /// Stores the wire names and the forms of a program's actions in one transaction; see
    /// ``Journal/register(_:)``.
    ///
    /// Writes nothing if this program was the last program to register.
    public func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        let (known, given) = try withReader { (reader) throws(DatabaseFailure) in
            (try reader.programs(), try reader.programNumberOfNewestRecord())
        }
        if let last = known.last, last.program.digest == program.digest { return last.number }
        let number =
            known.first { $0.program.digest == program.digest }?.number
            ?? max(given, known.map(\.number).max() ?? 0) + 1
        let kept = RegisteredProgram(number: number, program: program)
        try withWriter { (writer, _) throws(JournalError) in
            try writer.withTransaction { (writer) throws(DatabaseFailure) in
                try writer.insert(kept)
                try writer.removeSurplusPrograms(of: known, beside: kept)
            }
        }
        return number
    }

    /// Returns the stored programs, in the order of their last registration.
    public func programs() throws(JournalError) -> [RegisteredProgram] {
        try withReader { (reader) throws(DatabaseFailure) in try reader.programs() }
    }
}

extension Reader {
    /// Returns the programs in the file, in the order of their last registration.
    ///
    /// - Throws: ``DatabaseFailure/damaged(_:)`` if the forms of a program do not match their
    ///   checksum.
    func programs() throws(DatabaseFailure) -> [RegisteredProgram] {
        let (intact, damaged) = try checkedPrograms()
        guard let number = damaged.first else { return intact }
        throw .damaged("the forms of program \(number) have changed since they were written")
    }

    /// Returns the number of the newest record's program, even if the program's row is lost; 0 if
    /// that record names no program.
    func programNumberOfNewestRecord() throws(DatabaseFailure) -> UInt32 {
        guard hasProgramsTable else { return 0 }
        let sql = "SELECT program FROM records ORDER BY version DESC LIMIT 1"
        return UInt32(clamping: try connection.queryInteger(sql) ?? 0)
    }

    /// Returns the programs that match their checksums, and the numbers of the damaged programs.
    func checkedPrograms() throws(DatabaseFailure) -> (
        intact: [RegisteredProgram], damaged: [UInt32]
    ) {
        guard hasProgramsTable else { return ([], []) }
        var intact: [RegisteredProgram] = []
        var damaged: [UInt32] = []
        let sql = "SELECT number, began, digest, forms, sum FROM programs ORDER BY began"
        let rows = try Statement(connection, sql)
        while try rows.step() {
            let kept = RegisteredProgram(
                number: UInt32(truncatingIfNeeded: rows.integer(0)),
                program: ProgramDescription(digest: rows.string(2), forms: [UInt8](rows.bytes(3)))
            )
            if kept.checksum(registrationIndex: rows.integer(1)).matches(rows.bytes(4)) {
                intact.append(kept)
            } else {
                damaged.append(kept.number)
            }
        }
        return (intact, damaged)
    }
}

extension Writer {
    /// Writes a program, which then counts as the last program that registered.
    func insert(_ registeredProgram: RegisteredProgram) throws(DatabaseFailure) {
        let last = try connection.queryInteger("SELECT max(began) FROM programs") ?? 0
        let row = try Statement(
            connection,
            "REPLACE INTO programs (number, began, digest, forms, sum) VALUES (?, ?, ?, ?, ?)"
        )
        try row.bind(1, Int64(registeredProgram.number))
        try row.bind(2, last + 1)
        var form = CanonicalBytes()
        let digest = form.append(registeredProgram.program.digest)
        let forms = form.append(registeredProgram.program.forms)
        try row.bind(3, text: form.bytes(digest))
        try row.bind(4, blob: form.bytes(forms))
        try registeredProgram.checksum(registrationIndex: last + 1).withBytes {
            (sum) throws(DatabaseFailure) in
            try row.bind(5, blob: sum)
            try row.run()
        }
    }

    /// Deletes the surplus programs that registered longest ago. Keeps the program with the
    /// greatest number, because the next new program gets the number after that.
    fileprivate func removeSurplusPrograms(
        of known: [RegisteredProgram],
        beside kept: RegisteredProgram
    ) throws(DatabaseFailure) {
        let others = known.filter { $0.number != kept.number }
        let newest = max(kept.number, others.map(\.number).max() ?? 0)
        let surplus = others.filter { $0.number != newest }.prefix(
            max(0, others.count + 1 - RegisteredProgram.countMax)
        )
        for program in surplus {
            try connection.execute("DELETE FROM programs WHERE number = \(program.number)")
        }
    }
}

extension RegisteredProgram {
    fileprivate func checksum(registrationIndex: Int64) -> ChainHash {
        var form = CanonicalBytes(capacity: 128 + program.forms.count)
        form.append(number)
        form.append(registrationIndex)
        form.append(UInt32(truncatingIfNeeded: program.digest.utf8.count))
        form.append(program.digest)
        form.append(program.forms)
        return form.hash
    }
}
