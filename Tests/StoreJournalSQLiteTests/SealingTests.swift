import StoreCore
import StoreJournalSQLite
import StoreTestSupport
import Testing

/// Personal values are sealed in the file, opened for readers, and forgotten with their keys.
@Suite struct SealingTests {
    private struct Unreachable: Error {}

    private static let members: PersonalMemberLookup = { name in
        switch name {
        case "moved":
            [PersonalMember(path: ["street"]), PersonalMember(path: ["notes", "*", "text"])]
        case "sent": [PersonalMember(path: ["email"], ownerPath: ["to"])]
        case "whole": [PersonalMember(path: [])]
        default: []
        }
    }

    private func open(_ folder: Folder, _ keys: Folder) throws -> SQLiteJournal {
        try SQLiteJournal(
            directory: folder.path,
            retention: Retention(secondsMax: nil, bytesMax: nil),
            keyClock: nil,
            acceptDataLoss: false,
            follower: nil,
            sealer: RecordSealer(keys: KeyFile(in: keys.path), members: Self.members),
            log: { _ in }
        )
    }

    private func record(
        _ version: UInt64,
        _ type: String,
        _ payload: String,
        by principal: String? = "ann"
    ) -> Record {
        Record(
            version: version,
            time: Int64(version),
            type: type,
            payload: Array(payload.utf8),
            meta: Array(#"{"trace":"t\#(version)"}"#.utf8),
            principal: principal.map { ActionPrincipal($0) },
            requestID: "r\(version)",
            changed: true,
            origin: "192.0.2.\(version) teapot",
            session: "s"
        )
    }

    private var records: [Record] {
        [
            record(
                1,
                "moved",
                #"{ "street":"rue \"1\"" , "notes":[{"text":"x"},{"text":null},{"text":7}]}"#
            ),
            record(2, "sent", #"{"to":"bob","email":{"at":["b"]}}"#),
            record(3, "sent", #"{"to":5,"email":"carl"}"#, by: "carl"),
            record(4, "whole", #""all of it""#, by: nil),
            record(5, "other", #"{"street":"plain"}"#, by: nil),
            record(6, "moved", #"{"street":{"a":"b"},"to":null}"#),
        ]
    }

    private func read(_ journal: SQLiteJournal) throws -> [Record] {
        try journal.read(JournalPageRequest(after: 0, limit: 100)).records
    }

    private func payload(_ record: Record) -> String {
        String(decoding: record.payload, as: UTF8.self)
    }

    private func snapshot(_ version: UInt64, _ state: String) -> StateSnapshot {
        StateSnapshot(version: version, time: 1, state: Array(state.utf8), form: "f")
    }

    @Test func `readers get the records, and the file has no personal value`() throws {
        let (folder, keys) = (try Folder(), try Folder())
        let journal = try open(folder, keys)
        try journal.append(JournalBatch(records: records), at: 0)
        #expect(try read(journal) == records)
        let stored = try journal.readStoredRecords(JournalPageRequest(after: 0, limit: 100)).records
        let first = try #require(SealedPayload(stored[0].payload))
        #expect(
            String(decoding: first.json, as: UTF8.self)
                == #"{ "street":null , "notes":[{"text":null},{"text":null},{"text":null}]}"#
        )
        #expect(stored[0].meta == nil && stored[0].origin == nil)
        let whole = try #require(SealedPayload(stored[3].payload))
        #expect(String(decoding: whole.json, as: UTF8.self) == "null")
        #expect(stored[4] == records[4])
        // A stored record is appended as it is, for an import.
        #expect(
            SealedPayload(json: first.json, sealedValues: first.sealedValues)?.payload
                == stored[0].payload
        )
        try journal.append(JournalBatch(records: [Self.copy(stored[0], version: 7)]), at: 6)
        #expect(try payload(read(journal)[6]) == payload(records[0]))
        journal.close()
        let again = try open(folder, keys)
        #expect(try Array(read(again).prefix(6)) == records)
        #expect(try again.verifyAll().isIntact)
        again.close()
    }

    private static func copy(_ record: Record, version: UInt64) -> Record {
        Record(
            version: version,
            time: record.time,
            type: record.type,
            payload: record.payload,
            principal: record.principal,
            changed: record.changed
        )
    }

    @Test func `a forgotten owner's values are null, and the chain stays`() throws {
        let (folder, keys) = (try Folder(), try Folder())
        let journal = try open(folder, keys)
        try journal.save(snapshot(0, "{}"))
        let outcome = KeptOutcome(
            key: IdempotencyKey(principal: "@ann", key: "k"),
            fingerprint: [1],
            first: 1,
            last: 1,
            changed: true,
            time: 1
        )
        try journal.append(JournalBatch(records: records, outcomes: [outcome]), at: 0)
        try journal.save(snapshot(5, #"{"ann":1}"#))
        #expect(journal.oldestRestorableVersion == 0)
        let kept = try journal.forget(["@ann"]) { _ in snapshot(6, "{\"left\":1}") }
        #expect(kept == 6)
        func check(_ journal: SQLiteJournal) throws {
            let read = try read(journal)
            #expect(
                payload(read[0])
                    == #"{ "street":null , "notes":[{"text":null},{"text":null},{"text":null}]}"#
            )
            #expect(read[0].isForgotten && read[0].meta == nil && read[0].origin == nil)
            #expect(payload(read[1]) == #"{"to":"bob","email":{"at":["b"]}}"#)
            #expect(!read[1].isForgotten && read[1].origin == nil)
            #expect(Array(read[2...4]) == Array(records[2...4]))
            #expect(payload(read[5]) == #"{"street":null,"to":null}"#)
            #expect(journal.oldestRestorableVersion == 6)
            #expect(try journal.snapshot(atOrBefore: 5) == nil)
            #expect(try journal.snapshot(atOrBefore: 9) == snapshot(6, "{\"left\":1}"))
            #expect(journal.oldestSnapshotVersion == 6)
            #expect(try journal.outcome(of: outcome.key) == nil)
            #expect(try journal.countForgotten() == 2)
            #expect(try journal.verifyAll().isIntact)
        }
        try check(journal)
        journal.close()
        let again = try open(folder, keys)
        try check(again)
        // A later action of the same owner has a new key.
        try again.append(JournalBatch(records: [record(7, "moved", #"{"street":"new"}"#)]), at: 6)
        #expect(payload(try read(again)[6]) == #"{"street":"new"}"#)
        try again.save(snapshot(7, "{}"))
        again.close()
        let last = try open(folder, keys)
        #expect(payload(try read(last)[6]) == #"{"street":"new"}"#)
        #expect(try last.snapshot(atOrBefore: 7)?.version == 7)
        #expect(last.oldestRestorableVersion == 6)
        last.close()
    }

    @Test func `a forget that fails before its snapshot forgets nothing`() throws {
        let (folder, keys) = (try Folder(), try Folder())
        let journal = try open(folder, keys)
        try journal.save(snapshot(0, "{}"))
        try journal.append(JournalBatch(records: records), at: 0)
        #expect(throws: Unreachable.self) {
            try journal.forget(["@ann"]) { _ in throw Unreachable() }
        }
        // Until the forget is complete, the owner's next value has another key.
        try journal.append(JournalBatch(records: [record(7, "moved", #"{"street":"c"}"#)]), at: 6)
        #expect(try read(journal) == records + [record(7, "moved", #"{"street":"c"}"#)])
        #expect(throws: JournalError.self) {
            try journal.forget(["@ann"]) { _ in snapshot(6, "{}") }
        }
        #expect(try journal.snapshot(atOrBefore: 6) == snapshot(0, "{}"))
        _ = try journal.forget(["@ann", "@unknown"]) { version in snapshot(version, "{}") }
        #expect(try read(journal)[0].isForgotten && read(journal)[6].isForgotten)
        journal.close()
    }

    @Test func `other keys, a changed value and an interrupted slot are damage`() throws {
        let (folder, keys) = (try Folder(), try Folder())
        let journal = try open(folder, keys)
        try journal.append(JournalBatch(records: records), at: 0)
        journal.close()
        let bytes = try keys.bytes(of: "keys")
        #expect(bytes.count.isMultiple(of: 64))
        func message(_ changed: [UInt8]) throws -> String {
            let other = try Folder()
            try other.write(changed, to: "keys")
            let journal = try open(folder, other)
            defer { journal.close() }
            do {
                _ = try read(journal)
                return ""
            } catch { return "\(error)" }
        }
        #expect(try message(bytes) == "")
        var other = bytes
        other[63] ^= 1
        #expect(try message(other).contains("is sealed with other keys"))
        var damaged = bytes
        damaged[64 + 30] ^= 1
        #expect(try message(damaged).contains("which is damaged"))
        #expect(try message(Array(bytes[..<64])).contains("is an older copy"))
        // The end of a write that was interrupted is no key, and is never used.
        #expect(try message(bytes + [1, 0, 0]) == "")
        #expect(throws: JournalOpenError.self) { try message([1, 2, 3]) }
        #expect(throws: JournalOpenError.self) {
            // The history has no sealed snapshot, and the keys are in use.
            let first = try open(folder, keys)
            defer { first.close() }
            let other = try Folder()
            _ = try open(other, keys)
        }
    }
}
