package import StoreCore
import StoreJSON

/// The converter between plain and stored forms. The sealer seals the personal values of records,
/// and whole snapshots, and opens the sealed values again.
package struct RecordSealer: Sendable {
    package let keys: KeyFile
    private let members: PersonalMemberLookup

    /// Makes a sealer with the keys in a file. `members` names the personal members of an action.
    package init(keys: KeyFile, members: @escaping PersonalMemberLookup) {
        self.keys = keys
        self.members = members
    }

    // Records

    /// Returns the records in their stored form. Each key is durable before its first use.
    func seal(_ batch: JournalBatch) throws(JournalError) -> JournalBatch {
        var sealed = batch
        let forgetOrigin = keys.originOfRetirement
        var isForget = false
        for index in sealed.records.indices {
            let wasForget = isForget
            isForget = forgetOrigin.map(sealed.records[index].isForget(from:)) ?? false
            // The owners' later values have new keys.
            if wasForget, !isForget { keys.retirePreparedKeys() }
            sealed.records[index] = try seal(sealed.records[index])
        }
        if isForget { keys.retirePreparedKeys() }
        return sealed
    }

    private func seal(_ record: Record) throws(JournalError) -> Record {
        // An imported record has its stored form already.
        if record.payload.first == SealedPayload.leadingByte { return record }
        let sender = OwnerName.ofClient(as: record.principal?.name, in: record.session)
        var values: [(use: SealedPayload.Use, offset: Int, slot: UInt32, sealed: [UInt8])] = []
        func add(_ use: SealedPayload.Use, _ plain: [UInt8], of owner: String, at offset: Int = 0)
            throws(JournalError)
        {
            let (slot, key) = try keys.key(of: owner)
            let context = Self.context(use, offset)
            let sealed = plain.withUnsafeBytes { SealCipher.seal($0, key, context: context) }
            values.append((use, offset, slot, sealed))
        }
        var json = record.payload
        let found = try personalValues(of: record, from: sender)
        if !found.isEmpty {
            json = []
            var copied = 0
            for value in found {
                json += record.payload[copied..<value.range.lowerBound]
                try add(
                    .member,
                    Array(record.payload[value.range]),
                    of: value.owner,
                    at: json.count
                )
                json += "null".utf8
                copied = value.range.upperBound
            }
            json += record.payload[copied...]
        }
        var (meta, origin) = (record.meta, record.origin)
        if record.principal != nil {
            if let plain = meta { try add(.meta, plain, of: sender) }
            // An action of the program itself has no request id. Its origin is a place in the
            // source, not a client, so the origin stays plain.
            if record.requestID != nil, let plain = origin {
                try add(.origin, Array(plain.utf8), of: sender)
                origin = nil
            }
            meta = nil
        }
        guard !values.isEmpty else { return record }
        let payload = SealedPayload.make(keyFileID: keys.id, json: json, values: values)
        return record.with(payload: payload, meta: meta, origin: origin)
    }

    /// Returns the range and the owner of each personal value in a payload, sorted by the ranges.
    /// No range is within another range.
    private func personalValues(
        of record: Record,
        from sender: String
    ) throws(JournalError) -> [(range: Range<Int>, owner: String)] {
        let members = members(record.type)
        guard !members.isEmpty else { return [] }
        let root: JSONNode
        do { root = try JSONDocument(parsing: record.payload, limits: .unbounded).root } catch {
            throw .unknown("nothing was written: version \(record.version) is no JSON")
        }
        var found: [(range: Range<Int>, owner: String)] = []
        for member in members {
            var owner = sender
            if let path = member.ownerPath {
                let named = root.values(at: path[...]).first?.stringValue
                owner = named.map(OwnerName.user) ?? sender
            }
            for value in root.values(at: member.path[...]) where value.kind != .null {
                found.append((value.byteRange, owner))
            }
        }
        // Of two ranges with the same start, the longer comes first.
        found.sort {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        var end = 0
        return found.filter { value in
            guard value.range.lowerBound >= end else { return false }
            end = value.range.upperBound
            return true
        }
    }

    /// Returns a record in its plain form. If the key of a value is destroyed, the record has no
    /// such value, and ``Record/isForgotten`` is true.
    ///
    /// - Throws: ``JournalError/corrupt(_:)`` if a value does not match its key, or if this file of
    ///   keys is not the file of the record.
    package func open(_ record: Record) throws(JournalError) -> Record {
        guard let stored = SealedPayload(record.payload) else { return record }
        guard stored.keyFileID == keys.id else {
            throw .corrupt("record \(record.version) is sealed with other keys than \(keys.path)")
        }
        let json = stored.json
        guard let values = stored.values() else {
            throw .corrupt("record \(record.version) has no valid sealed values")
        }
        var (meta, origin) = (record.meta, record.origin)
        var payload: [UInt8] = []
        payload.reserveCapacity(stored.bytes.count)
        var copied = 0
        var isForgotten = false
        for value in values {
            let plain = try plainBytes(of: value, in: stored, version: record.version)
            switch value.use {
            case .member:
                guard value.offset >= copied else {
                    throw .corrupt("record \(record.version) has no valid sealed values")
                }
                payload += json[copied..<value.offset]
                payload += plain ?? Array("null".utf8)
                copied = value.offset + 4
                if plain == nil { isForgotten = true }
            case .meta: meta = plain
            case .origin: origin = plain.map { String(decoding: $0, as: UTF8.self) }
            }
        }
        payload += json[copied...]
        return record.with(payload: payload, meta: meta, origin: origin, isForgotten: isForgotten)
    }

    /// Returns the plain bytes of a value; `nil` if its key is destroyed.
    private func plainBytes(
        of value: SealedPayload.Value,
        in stored: SealedPayload,
        version: UInt64
    ) throws(JournalError) -> [UInt8]? {
        switch keys.slot(value.keySlot) {
        case .destroyed: return nil
        case .key(let key):
            let context = Self.context(value.use, value.offset)
            let plain = stored.bytes.withUnsafeBytes {
                SealCipher.open(
                    UnsafeRawBufferPointer(rebasing: $0[value.sealedRange]),
                    key,
                    context: context
                )
            }
            if let plain { return plain }
            throw .corrupt("record \(version) has a sealed value that does not match its key")
        case .damaged:
            throw .corrupt("record \(version) needs key \(value.keySlot), which is damaged")
        case nil:
            throw .corrupt(
                "record \(version) needs key \(value.keySlot), and \(keys.path) is an older copy "
                    + "without this key"
            )
        }
    }

    private static func context(_ use: SealedPayload.Use, _ offset: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: offset).littleEndian) {
            [use.rawValue] + Array($0)
        }
    }

    // Snapshots: the byte 1, the id of the key file, the slot, and the sealed state.

    private static let snapshotHeadBytes = 13
    /// The number of a stored state's first bytes that show if the state can be opened.
    static let snapshotPrefixBytes = snapshotHeadBytes

    /// Returns the stored form of a compressed state.
    func seal(state: [UInt8], _ newKey: (UInt32, SealKey)? = nil) throws(JournalError) -> [UInt8] {
        let (slot, key) =
            if let newKey { newKey } else { try keys.key(of: KeyFile.snapshotsOwner) }
        var head: [UInt8] = [SealedPayload.leadingByte]
        withUnsafeBytes(of: keys.id.littleEndian) { head += Array($0) }
        withUnsafeBytes(of: slot.littleEndian) { head += Array($0) }
        return head + state.withUnsafeBytes { SealCipher.seal($0, key, context: head) }
    }

    /// Returns the compressed state of a stored form; `nil` if the key is destroyed, or if the form
    /// is damaged.
    func open(state: [UInt8]) -> [UInt8]? {
        guard state.first == SealedPayload.leadingByte else { return state }
        guard case .key(let key)? = state.withUnsafeBytes(slot(ofState:)) else { return nil }
        let head = Array(state.prefix(Self.snapshotHeadBytes))
        return state.withUnsafeBytes {
            SealCipher.open(
                UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.snapshotHeadBytes)),
                key,
                context: head
            )
        }
    }

    /// The form of a stored state, which its first bytes show.
    enum StateForm {
        case readable
        case forgotten
        /// The state is sealed with the keys of another file.
        case foreign
    }

    func form(ofState prefix: UnsafeRawBufferPointer) -> StateForm {
        guard prefix.first == SealedPayload.leadingByte else { return .readable }
        guard prefix.count >= Self.snapshotHeadBytes else { return .foreign }
        let id = UInt64(littleEndian: prefix.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        guard id == keys.id else { return .foreign }
        return switch slot(ofState: prefix) {
        case .key: .readable
        case .destroyed: .forgotten
        case .damaged, nil: .foreign
        }
    }

    private func slot(ofState prefix: UnsafeRawBufferPointer) -> KeyFile.Slot? {
        guard prefix.count >= Self.snapshotHeadBytes else { return nil }
        return keys.slot(
            UInt32(littleEndian: prefix.loadUnaligned(fromByteOffset: 9, as: UInt32.self))
        )
    }
}

extension Record {
    /// Returns true for an action of the program with the origin of a forget.
    fileprivate func isForget(from forgetOrigin: String) -> Bool {
        requestID == nil && origin?.utf8.elementsEqual(forgetOrigin.utf8) == true
    }

    fileprivate func with(
        payload: [UInt8],
        meta: [UInt8]?,
        origin: String?,
        isForgotten: Bool = false
    ) -> Record {
        Record(
            version: version,
            time: time,
            type: type,
            payload: payload,
            meta: meta,
            principal: principal,
            requestID: requestID,
            changed: changed,
            cause: cause,
            origin: origin,
            session: session,
            program: program,
            isForgotten: isForgotten
        )
    }
}

extension JSONNode {
    /// Returns the values at a path. The token `*` stands for all elements or members.
    fileprivate func values(at path: ArraySlice<String>) -> [JSONNode] {
        guard let token = path.first else { return [self] }
        let rest = path.dropFirst()
        if token == "*" {
            return (kind == .array ? elements : members.map(\.value)).flatMap {
                $0.values(at: rest)
            }
        }
        if kind == .array {
            return Int(token).flatMap { element(at: $0) }.map { $0.values(at: rest) } ?? []
        }
        // A client may send a member twice, and each of them is stored.
        return members.filter { $0.name.utf8.elementsEqual(token.utf8) }.flatMap {
            $0.value.values(at: rest)
        }
    }
}
