public import StoreCore

extension SQLiteJournal {
    /// The maximum number of rows that one call reads if the caller asks for records of a single
    /// type.
    static let scannedRowsMax: UInt64 = 100_000

    /// The number of records that one transaction of a check reads. Between short transactions, the
    /// write-ahead log can be restarted.
    static let verifiedRecordsPerRead: UInt64 = 10_000

    /// Reads records in order, in one short read transaction.
    ///
    /// Any thread may call this function, and the function never waits for an append. The function
    /// checks the hash of every record, so it never returns a damaged record.
    ///
    /// - Throws: ``JournalError/gone(oldest:)``, ``JournalError/corrupt(_:)``, or
    ///   ``JournalError/unknown(_:)`` if the system could not read.
    public func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        var answer = try readStoredRecords(page)
        if let sealer {
            for index in answer.records.indices {
                answer.records[index] = try sealer.open(answer.records[index])
            }
        }
        return answer
    }

    /// Returns the outcomes of requests with these keys, if the outcomes are still stored. Several
    /// keys are looked up in one transaction.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try withReader { (reader) throws(DatabaseFailure) in
            guard keys.count > 1 else { return try reader.outcomes(of: keys) }
            return try reader.withTransaction { (reader) throws(DatabaseFailure) in
                try reader.outcomes(of: keys)
            }
        }
    }
}

extension Reader {
    func read(_ page: JournalPageRequest, newest: UInt64) throws(DatabaseFailure) -> JournalRecords
    {
        var answer = JournalRecords(records: [], through: newest)
        if page.type != nil, newest - page.after > SQLiteJournal.scannedRowsMax {
            answer.through = page.after + SQLiteJournal.scannedRowsMax
        }
        if page.type == nil {
            let count = min(page.limit, Int(clamping: newest - page.after), 1_024)
            answer.records.reserveCapacity(count)
        }
        var bytes = 0
        try forEachRecord(after: page.after, through: answer.through) { fields, reader in
            if let type = page.type, !reader.strings.text(fields.type).isSame(as: type) {
                return true
            }
            bytes += fields.payload.count + (fields.meta?.count ?? 0)
            guard answer.records.count < page.limit,
                bytes <= page.bytesMax || answer.records.isEmpty
            else {
                answer.through = fields.version - 1
                return false
            }
            answer.records.append(reader.record(fields))
            return true
        }
        return answer
    }

    /// Checks each record's hash in the chain, and calls `body` with the record until `body`
    /// returns false.
    func forEachRecord(
        after: UInt64,
        through: UInt64,
        _ body: (borrowing RecordFields, Reader) -> Bool
    ) throws(DatabaseFailure) {
        try withTransaction { (reader) throws(DatabaseFailure) in
            var rows = try RecordRows(reader, after: after, throughVersion: through)
            var form = CanonicalBytes()
            while try rows.appendNext(to: &form) != nil {
                guard body(rows.fields, reader) else { return }
                form.clear()
            }
        }
    }

    /// Returns a record with copies of the fields, so that the record outlives the current row.
    func record(_ fields: borrowing RecordFields) -> Record {
        Record(
            version: fields.version,
            time: fields.time,
            type: strings.text(fields.type),
            payload: [UInt8](fields.payload),
            meta: fields.meta.map { [UInt8]($0) },
            principal: fields.principal.map { ActionPrincipal(principals.text($0)) },
            requestID: fields.requestID.map { String(decoding: $0, as: UTF8.self) },
            changed: fields.changed,
            cause: fields.cause,
            origin: fields.origin.map { strings.text($0) },
            session: fields.session.map { principals.text($0) },
            program: fields.program
        )
    }

    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(DatabaseFailure) -> [IdempotencyKey: KeptOutcome] {
        var found: [IdempotencyKey: KeptOutcome] = [:]
        for key in keys {
            if let outcome = try outcome(of: key) { found[key] = outcome }
        }
        return found
    }

    private func outcome(of key: IdempotencyKey) throws(DatabaseFailure) -> KeptOutcome? {
        let fields = formBuffer.replace(with: key)
        defer { selectOutcome.reset() }
        try selectOutcome.bind(1, text: fields.key)
        try selectOutcome.bind(2, text: fields.principal)
        guard try selectOutcome.step() else { return nil }
        if let kept = outcome(selectOutcome, of: key) { return kept }
        throw .damaged("an idempotency key has changed since it was written")
    }

    /// Returns the outcome in the current row of a statement; `nil` if the outcome does not match
    /// its checksum.
    func outcome(_ row: Statement, of key: IdempotencyKey) -> KeptOutcome? {
        let kept = KeptOutcome(
            key: key,
            fingerprint: [UInt8](row.bytes(0)),
            first: UInt64(bitPattern: row.integer(1)),
            last: UInt64(bitPattern: row.integer(2)),
            changed: row.integer(3) != 0,
            time: row.integer(4)
        )
        _ = formBuffer.replace(with: kept)
        return formBuffer.outcomeChecksum == row.integer(5) ? kept : nil
    }
}
