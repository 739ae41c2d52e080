/// The position of a container: its level of nesting, counted from 1, and its serial number.
struct ContainerPosition {
    let level: UInt32
    let serial: UInt32
}

package typealias EncodingStatePointer = UnsafeMutablePointer<EncodingState>

/// The state that an encoder and its containers share: the output and the open containers.
///
/// A container consists of a pointer to the state and plain numbers, so copying a container needs
/// no reference counting. `Codable` has no call for the end of a container. So the next write
/// outside a container closes the container.
package struct EncodingState: ~Copyable {
    /// An open container.
    struct OpenContainer {
        var serial: UInt32
        var closingBracket: UInt8
        /// The offset of the container's opening bracket.
        var startOffset: Int
        /// The keys that were written into the container so far.
        var writtenKeys = WrittenKeys()
    }

    var output = JSONOutput(capacity: 512)
    var keyTypes = KeyTypeCache<ContainerPosition>()
    var plans: TypePlans<any CollectionEncodable.Type>
    private(set) var openContainers: UnsafeMutablePointer<OpenContainer>
    private(set) var depth = 0
    private var lastSerial: UInt32 = 0
    /// True if a value could not be written at the end of the output, because its container was
    /// closed or its key was written before.
    var hasMisplacedValue = false
    /// The number of nested calls of `encode(to:)` at this moment.
    var callDepth = 0
    /// The maximum of ``callDepth``. When a call exceeds the maximum, the encoder sets the maximum
    /// to 0, so that all further calls fail. The maximum of 0 also stops a value that ignores
    /// errors and encodes itself again.
    var callDepthMax = JSONLimits.callDepthMax
    /// The offset of an incomplete value that could not be encoded; -1 if there is none. The next
    /// write removes the value.
    private var failedValueStart = -1
    private var failedValueLevel = 0
    /// The written keys of each level whose keys ``WrittenKeys`` cannot represent as bits.
    private var writtenNamesByLevel: [Set<[UInt8]>] = []
    /// True if the encoder keeps tables apart from the output (``OutlinedJSON``).
    var keepsTablesApart = false
    /// The tables that are apart from the output, in their order.
    private(set) var tables: [OutlinedJSON.Table] = []
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    init(_ adapters: AdapterList) {
        plans = TypePlans(adapters)
        openContainers = .allocate(capacity: JSONLimits.depthCeiling + 1)
    }

    deinit { openContainers.deallocate() }

    mutating func begin(_ userInfo: [CodingUserInfoKey: any Sendable]) {
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
        restart()
    }

    mutating func restart() {
        output.truncate()
        depth = 0
        hasMisplacedValue = false
        callDepth = 0
        callDepthMax = JSONLimits.callDepthMax
        failedValueStart = -1
        keepsTablesApart = false
        if !tables.isEmpty { tables = [] }
    }

    mutating func end(freeingAbove bytesMax: Int) {
        output.truncate(to: 0, freeingAbove: bytesMax)
        if !writtenNamesByLevel.isEmpty { writtenNamesByLevel = [] }
        if !tables.isEmpty { tables = [] }
    }

    /// Adds a table whose empty object is at an offset of the output.
    mutating func addTable(_ rows: any EncodedRows, at offset: Int) {
        tables.append(OutlinedJSON.Table(offset: offset, rows: rows))
    }

    /// The output as one object that threads can share.
    var sharedBytes: Bytes {
        let written = output.sharedBytes
        return tables.isEmpty ? written : Bytes(OutlinedJSON(written, tables))
    }

    /// Opens a container at the end of the output. Returns the container's serial number.
    @inline(__always)
    mutating func open(_ opener: UInt8, _ closer: UInt8) -> UInt32 {
        lastSerial &+= 1
        // The functions that encode values check the depth, so this guard normally passes.
        guard depth < JSONLimits.depthCeiling else {
            hasMisplacedValue = true
            return lastSerial
        }
        openContainers[depth] = OpenContainer(
            serial: lastSerial,
            closingBracket: closer,
            startOffset: output.count
        )
        depth &+= 1
        output.byte(opener)
        return lastSerial
    }

    /// Closes all containers that are deeper than `level`.
    @inline(__always)
    mutating func closeContainers(deeperThan level: Int) {
        while depth > level {
            depth &-= 1
            output.byte(openContainers[depth].closingBracket)
        }
    }

    /// Prepares a write into the container with this level and serial number: closes all containers
    /// within it, and writes a comma if necessary. Returns the offset before the comma, or -1 if
    /// the container was closed already.
    @inline(__always)
    mutating func beginWrite(_ level: UInt32, _ serial: UInt32) -> Int {
        removeFailedValue()
        let index = Int(level) &- 1
        guard index < depth, openContainers[index].serial == serial else {
            hasMisplacedValue = true
            return -1
        }
        closeContainers(deeperThan: Int(level))
        let mark = output.count
        if mark &- 1 != openContainers[index].startOffset { output.byte(UInt8(ascii: ",")) }
        return mark
    }

    /// Records that the value that begins at `mark` could not be encoded.
    ///
    /// The incomplete value stays in the output, because the path of the error is read from the
    /// output. If a type's own code ignores the error, the next write removes the value.
    @inline(never)
    mutating func noteFailedValue(from mark: Int, _ level: UInt32) {
        failedValueStart = mark
        failedValueLevel = Int(level)
    }

    @inline(__always)
    mutating func removeFailedValue() {
        guard failedValueStart >= 0 else { return }
        output.truncate(to: failedValueStart)
        while let last = tables.last, last.offset >= failedValueStart { tables.removeLast() }
        depth = min(depth, failedValueLevel)
        failedValueStart = -1
    }

    /// Records the key that was written into the innermost container at `start`. Returns true if
    /// the container did not have this key yet.
    @inline(never)
    private mutating func claimName(from start: Int) -> Bool {
        while writtenNamesByLevel.count < depth { writtenNamesByLevel.append([]) }
        let index = depth &- 1
        guard index >= 0 else { return false }
        if let written = openContainers[index].writtenKeys.switchToNames() {
            writtenNamesByLevel[index] = Set(written)
        }
        return writtenNamesByLevel[index].insert(Array(output.bytes[start...])).inserted
    }

    /// Writes a key of a key table, after a comma if necessary. Returns the offset before the comma
    /// and the key, or -1 if the caller must not write a value.
    @inline(__always)
    mutating func beginMember(
        _ place: ContainerPosition,
        _ key: JSONKeyTable.EncodedKey,
        _ index: Int,
        of table: JSONKeyTable
    ) -> Int {
        let mark = beginWrite(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.writePaddedBytes(key.bytes, key.count)
        guard
            openContainers[depth &- 1].writtenKeys.claim(index, of: table) ?? claimName(from: start)
        else {
            hasMisplacedValue = true
            return -1
        }
        return mark
    }

    /// Writes a key that is in no key table, after a comma if necessary. Returns the offset before
    /// the comma and the key, or -1 if the caller must not write a value.
    @inline(never)
    mutating func beginMember(_ place: ContainerPosition, named name: String) -> Int {
        let mark = beginWrite(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.string(name)
        output.byte(UInt8(ascii: ":"))
        guard claimName(from: start) else {
            hasMisplacedValue = true
            return -1
        }
        return mark
    }

    /// Returns the serial number of the open container that begins at `start` and has this closing
    /// bracket; `nil` if there is none.
    @inline(__always)
    func serialOfOpenContainer(at start: Int, above level: Int, closer: UInt8) -> UInt32? {
        guard depth > level, openContainers[level].startOffset == start,
            openContainers[level].closingBracket == closer
        else {
            return nil
        }
        return openContainers[level].serial
    }

    /// The JSON Pointer to the value at the end of the output. The property reads the whole output,
    /// so only errors should use it.
    var pointer: String { codingPath.jsonPointer }

    /// The coding keys from the root to the value at the end of the output.
    var codingPath: [any CodingKey] { IncompleteJSON.pathToEnd(of: output.bytes) }
}

/// The written keys of one object, for the detection of a key that is written twice.
///
/// As long as all keys come from one key table, each key is a bit. For other objects, the encoder
/// uses a set of names. Keys of two types occur if a class and its superclass write into one
/// object.
struct WrittenKeys {
    private var table: JSONKeyTable?
    private var writtenBits: UInt64 = 0
    private var usesNames = false

    /// Records a key of a key table. Returns true if the key was not written before, and false if
    /// it was. Returns `nil` if the caller has to record the key in the set of names.
    @inline(__always)
    mutating func claim(_ key: Int, of table: JSONKeyTable) -> Bool? {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: key)
        if self.table == table {
            defer { writtenBits |= bit }
            return writtenBits & bit == 0
        }
        guard self.table == nil, !usesNames else { return nil }
        self.table = table
        writtenBits = bit
        return true
    }

    /// Switches from bits to the set of names. Returns the keys that were written so far, for the
    /// set; `nil` if the object uses the set already.
    mutating func switchToNames() -> [[UInt8]]? {
        guard !usesNames else { return nil }
        usesNames = true
        defer { table = nil }
        guard let table else { return [] }
        return (0..<JSONKeyTable.keysMax).compactMap { index in
            guard writtenBits & (1 << UInt64(index)) != 0, let key = table[index] else {
                return nil
            }
            return Array(UnsafeBufferPointer(start: key.bytes, count: key.count))
        }
    }
}
