typealias DecodingStatePointer = UnsafeMutablePointer<DecodingState>

/// The state that a decoder and its containers share. A container consists of a pointer to the
/// state and plain numbers, so copying a container needs no reference counting.
struct DecodingState: ~Copyable {
    private(set) var tape: JSONTape
    private(set) var source: UnsafeMutablePointer<UInt8>
    private(set) var entries: UnsafeMutablePointer<JSONTape.Entry>
    /// The key types that the decoder has used. In this cache, a container's `Place` is the index
    /// of its object's entry.
    var keyTypes = KeyTypeCache<Int>()
    var plans: TypePlans<any CollectionDecodable.Type>
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The number of nested calls of `init(from:)` at this moment.
    fileprivate(set) var callDepth = 0
    /// The maximum of ``callDepth``. When a call exceeds the maximum, the decoder sets the maximum
    /// to 0, so that all further calls fail. The maximum of 0 also stops a type that ignores errors
    /// and decodes itself again.
    fileprivate(set) var callDepthMax = JSONLimits.callDepthMax
    let pathCache = CodingPathCache()
    /// The name of the enum's case to decode, if only the payload of the case is in the document.
    /// ``casePayloadIndex`` is the index of the payload's entry.
    private(set) var caseName = ""
    private(set) var casePayloadIndex = 0
    /// The tape for documents that the decoder itself parses.
    let ownTape = JSONTape()

    /// The index that stands for the object `{"<caseName>":<payload>}`. The document does not
    /// contain this object.
    static let caseObjectIndex = -2

    init(_ adapters: AdapterList) {
        plans = TypePlans(adapters)
        tape = ownTape
        source = ownTape.source
        entries = ownTape.entries
    }

    mutating func begin(_ tape: JSONTape, _ userInfo: [CodingUserInfoKey: any Sendable]) {
        if self.tape !== tape { self.tape = tape }
        source = tape.source
        entries = tape.entries
        callDepth = 0
        callDepthMax = JSONLimits.callDepthMax
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
    }

    /// Sets the entry of a payload and the name of its case. The index ``caseObjectIndex`` then
    /// stands for an object with this case as its only member.
    mutating func setCase(payload index: Int, named name: String) {
        casePayloadIndex = index
        caseName = name
    }

    /// Releases the document, and large buffers of the decoder's own tape.
    mutating func end() {
        ownTape.replaceBuffers(largerThan: AdapterSet.keptBufferBytesMax)
        if tape !== ownTape { tape = ownTape }
        pathCache.discardPath()
    }

    /// Returns the first byte of a value. This byte determines the value's kind.
    @inline(__always)
    func firstByte(of index: Int) -> UInt8 { source[Int(entries[index].start)] }

    @inline(__always)
    func isNull(_ index: Int) -> Bool { firstByte(of: index) == UInt8(ascii: "n") }

    @inline(__always)
    func requireObject(_ index: Int) throws {
        guard firstByte(of: index) == UInt8(ascii: "{") else {
            throw mismatchError(index, "an object")
        }
    }

    @inline(__always)
    func requireArray(_ index: Int) throws {
        guard firstByte(of: index) == UInt8(ascii: "[") else {
            throw mismatchError(index, "an array")
        }
    }

    /// Returns the index of the value of an object's member `key`, or -1 if the object has no such
    /// member.
    ///
    /// The search begins after the member that the last search found. So a type that reads members
    /// in the order of the document finds each member at once.
    @inline(__always)
    func find(_ key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int {
        guard object >= 0 else { return findCasePayload(key) }
        let end = Int(entries[object].nextOrHash)
        let cursor = Int(entries[object].detail)
        if cursor < end, tape.isKey(at: cursor, equalTo: key) {
            entries[object].detail = entries[cursor &+ 1].nextOrHash
            return cursor &+ 1
        }
        return findFromStart(key, object, end)
    }

    @inline(never)
    private func findFromStart(_ key: UnsafeBufferPointer<UInt8>, _ object: Int, _ end: Int) -> Int
    {
        var at = object &+ 1
        while at < end {
            if tape.isKey(at: at, equalTo: key) {
                entries[object].detail = entries[at &+ 1].nextOrHash
                return at &+ 1
            }
            at = Int(entries[at &+ 1].nextOrHash)
        }
        return -1
    }

    @inline(never)
    private func findCasePayload(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        caseName.utf8.elementsEqual(key) ? casePayloadIndex : -1
    }

    func string(_ index: Int) throws -> String {
        guard firstByte(of: index) == UInt8(ascii: "\"") else {
            throw mismatchError(index, "a string")
        }
        return tape.string(at: index)
    }

    /// Returns true if Swift may treat the string at an index as equal to a text with other bytes.
    /// Only three characters outside ASCII are equal to an ASCII character: U+212A, U+037E and
    /// U+1FEF.
    func mayEqualOtherBytes(_ index: Int) -> Bool {
        guard firstByte(of: index) == UInt8(ascii: "\"") else { return false }
        return tape.rawString(at: index).contains { byte in
            switch byte {
            case 0x80..., UInt8(ascii: "\\"), UInt8(ascii: "K"), UInt8(ascii: ";"),
                UInt8(ascii: "`"):
                true
            default: false
            }
        }
    }

    @inline(__always)
    func bool(_ index: Int) throws -> Bool {
        switch firstByte(of: index) {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw mismatchError(index, "true or false")
        }
    }
}

extension DecodingStatePointer {
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        switch pointee.plans.plan(for: type) {
        case .ownCodable: return try decodePlain(type, at: index)
        case .textEnum: return try decodeRawText(type, at: index)
        case .collection(let collection): return try collection.decode(type, at: index, from: self)
        case .string: return unsafeBitCast(try pointee.string(index), to: T.self)
        case .int: return unsafeBitCast(try pointee.integer(index, as: Int.self), to: T.self)
        case .bool: return unsafeBitCast(try pointee.bool(index), to: T.self)
        case .double:
            return unsafeBitCast(try pointee.floatingPoint(index, as: Double.self), to: T.self)
        case .adapter(let place):
            return try decode(type, at: index, with: pointee.plans.adapters[place])
        }
    }

    @inline(__always)
    private func decodePlain<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        try decode(type, from: ValueDecoder(state: self, index: index), at: index)
    }

    /// Decodes a value from the case that ``DecodingState/setCase(payload:named:)`` has set.
    func decodeCase<T: Decodable>(_ type: T.Type) throws -> T {
        try decode(type, from: CaseDecoder(state: self), at: pointee.casePayloadIndex)
    }

    @inline(__always)
    private func decode<T: Decodable>(
        _ type: T.Type,
        from decoder: some Decoder,
        at index: Int
    ) throws -> T {
        let calls = pointee.callDepth
        guard calls < pointee.callDepthMax else { throw depthError(at: index) }
        pointee.callDepth = calls &+ 1
        defer { pointee.callDepth = calls }
        return try T(from: decoder)
    }

    /// Decodes an enum with texts as raw values. The enum itself would accept a text that is equal
    /// for Swift but has other bytes. This function refuses such a text.
    @inline(never)
    private func decodeRawText<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        let value: T
        do {
            value = try decodePlain(type, at: index)
        } catch let error as DecodingError {
            throw pointee.addingValidValues(of: type, at: index, to: error)
        }
        guard pointee.mayEqualOtherBytes(index), let raw = value as? any RawRepresentable<String>
        else {
            return value
        }
        let text = pointee.tape.string(at: index)
        guard !raw.rawValue.isEqualButNotSame(as: text) else {
            throw pointee.invalidValueError(
                index,
                "\(T.self) has no value \(JSONText.quoted(text))."
            )
        }
        return value
    }

    @inline(never)
    private func depthError(at index: Int) -> DecodingError {
        pointee.callDepthMax = 0
        return pointee.invalidValueError(index, Self.tooDeepMessage)
    }

    /// The error's message for a type whose `init(from:)` decodes the same type without end.
    static let tooDeepMessage =
        "The type decodes itself without end, or decodes more than \(JSONLimits.callDepthMax) "
        + "nested values."

    @inline(never)
    private func decode<T>(
        _ type: T.Type,
        at index: Int,
        with adapter: JSONAdapter
    ) throws -> T {
        let node = JSONNode(tape: pointee.tape, index: index)
        let scalar: JSONAdapter.Scalar? =
            switch node.kind {
            case .string: .string(pointee.tape.string(at: index))
            case .number: .number(node.sourceText)
            default: nil
            }
        guard let scalar, let value = adapter.decode(scalar) as? T else {
            throw pointee.mismatchError(index, adapter.expected)
        }
        return value
    }
}
