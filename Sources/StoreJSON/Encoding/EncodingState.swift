/// The place of a container: the number of open containers including it, and its serial number.
struct EncodingPlace {
    let level: UInt32
    let serial: UInt32
}

typealias EncodingStatePointer = UnsafeMutablePointer<EncodingState>

/// The state that an encoder and its containers share: the output and the open containers.
///
/// Containers hold a pointer to it and plain numbers, so that a copy costs no reference counting.
/// The next write outside a container closes it, because `Codable` has no call for the end of a
/// container.
struct EncodingState: ~Copyable {
    /// An open container.
    struct Level {
        var serial: UInt32
        var closer: UInt8
        /// The offset of its opening bracket.
        var start: Int
        /// The keys that were written so far.
        var members = EncodingMembers()
    }

    var output = JSONOutput(capacity: 512)
    var keyTypes = KeyTypes<EncodingPlace>()
    var plans: TypePlans<any CollectionEncodable.Type>
    private(set) var levels: UnsafeMutablePointer<Level>
    private(set) var depth = 0
    private var serial: UInt32 = 0
    /// True if a value had no place at the end of the output: its container was closed, or its key
    /// was written before.
    var outOfPlace = false
    /// The number of calls of `encode(to:)` that are running.
    var calls = 0
    /// The maximum of ``calls``. After the first excess the maximum is 0, which stops a value that
    /// encodes itself again and again.
    var callsMax = JSONLimits.callsMax
    /// The offset of a value that could not be encoded, until the next write removes that value; -1
    /// if there is none.
    private var brokenFrom = -1
    private var brokenLevel = 0
    /// The written keys of each level, if bits cannot represent them.
    private var names: [Set<[UInt8]>] = []
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    init(_ adapters: AdapterList) {
        plans = TypePlans(adapters)
        levels = .allocate(capacity: JSONLimits.depthCeiling + 1)
    }

    deinit { levels.deallocate() }

    mutating func begin(_ userInfo: [CodingUserInfoKey: any Sendable]) {
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
        restart()
    }

    mutating func restart() {
        output.truncate()
        depth = 0
        outOfPlace = false
        calls = 0
        callsMax = JSONLimits.callsMax
        brokenFrom = -1
    }

    mutating func end(keeping bytesMax: Int) {
        output.truncate(to: 0, keeping: bytesMax)
        if !names.isEmpty { names = [] }
    }

    /// Opens a container at the end of the output. Returns its serial number.
    @inline(__always)
    mutating func open(_ opener: UInt8, _ closer: UInt8) -> UInt32 {
        serial &+= 1
        // No container is opened at a greater depth: `encode` has refused that depth before.
        guard depth < JSONLimits.depthCeiling else {
            outOfPlace = true
            return serial
        }
        levels[depth] = Level(serial: serial, closer: closer, start: output.count)
        depth &+= 1
        output.byte(opener)
        return serial
    }

    /// Closes all containers that are deeper than `level`.
    @inline(__always)
    mutating func close(to level: Int) {
        while depth > level {
            depth &-= 1
            output.byte(levels[depth].closer)
        }
    }

    /// Makes the container of this level and serial number the current one, and writes a comma if
    /// necessary. Returns the offset before the comma, or -1 if the container was closed already.
    @inline(__always)
    mutating func enter(_ level: UInt32, _ serial: UInt32) -> Int {
        cutBroken()
        let index = Int(level) &- 1
        guard index < depth, levels[index].serial == serial else {
            outOfPlace = true
            return -1
        }
        close(to: Int(level))
        let mark = output.count
        if mark &- 1 != levels[index].start { output.byte(UInt8(ascii: ",")) }
        return mark
    }

    /// Records a failure to encode the value that begins at `mark`.
    ///
    /// The value stays for now, so that the error has its place. If a type's own code ignores the
    /// error, the next write removes the value.
    @inline(never)
    mutating func giveUp(from mark: Int, _ level: UInt32) {
        brokenFrom = mark
        brokenLevel = Int(level)
    }

    @inline(__always)
    mutating func cutBroken() {
        guard brokenFrom >= 0 else { return }
        output.truncate(to: brokenFrom)
        depth = min(depth, brokenLevel)
        brokenFrom = -1
    }

    /// Records the key that was just written from `start` on, at the innermost level. Returns true
    /// if that level has no such key yet.
    @inline(never)
    private mutating func claimName(from start: Int) -> Bool {
        while names.count < depth { names.append([]) }
        let index = depth &- 1
        guard index >= 0 else { return false }
        if let written = levels[index].members.switchToNames() { names[index] = Set(written) }
        return names[index].insert(Array(output.bytes[start...])).inserted
    }

    /// Writes a key of a table, with a comma before it if it needs one. Returns the offset before
    /// the comma or the key, or -1 if the caller must not write a value.
    @inline(__always)
    mutating func enter(
        _ place: EncodingPlace,
        _ key: JSONKeyTable.EncodedKey,
        _ index: Int,
        of table: JSONKeyTable
    ) -> Int {
        let mark = enter(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.padded(key.bytes, key.count)
        guard levels[depth &- 1].members.claim(index, of: table) ?? claimName(from: start) else {
            outOfPlace = true
            return -1
        }
        return mark
    }

    /// Writes a key that is in no table. The comma and the result are as for a key of a table.
    @inline(never)
    mutating func enter(_ place: EncodingPlace, named name: String) -> Int {
        let mark = enter(place.level, place.serial)
        guard mark >= 0 else { return -1 }
        let start = output.count
        output.string(name)
        output.byte(UInt8(ascii: ":"))
        guard claimName(from: start) else {
            outOfPlace = true
            return -1
        }
        return mark
    }

    /// Returns the serial number of the open container that begins at `start`; `nil` if there is
    /// none.
    @inline(__always)
    func opened(at start: Int, above level: Int, closer: UInt8) -> UInt32? {
        guard depth > level, levels[level].start == start, levels[level].closer == closer else {
            return nil
        }
        return levels[level].serial
    }

    /// The end of the output, as a JSON Pointer. Reads the whole output, so it is meant for errors
    /// only.
    var pointer: String { codingPath.pointer }

    /// The end of the output, as coding keys.
    var codingPath: [any CodingKey] { JSONPrefix.path(of: output.bytes) }
}

/// The written keys of one object, to detect a key that is written twice.
///
/// Each key of one table has a bit. An object with other keys, or with keys of two types, has a set
/// of names instead. Keys of two types occur if a class and its superclass share one object.
struct EncodingMembers {
    private var table: JSONKeyTable?
    private var written: UInt64 = 0
    private var byName = false

    /// Records a key of a table. Returns true if the key was not written before, or `nil` if only
    /// the set of names can decide that.
    @inline(__always)
    mutating func claim(_ key: Int, of table: JSONKeyTable) -> Bool? {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: key)
        if self.table == table {
            defer { written |= bit }
            return written & bit == 0
        }
        guard self.table == nil, !byName else { return nil }
        self.table = table
        written = bit
        return true
    }

    /// Switches to the set of names, for good. Returns the keys that were written so far, or `nil`
    /// if the set is in use already.
    mutating func switchToNames() -> [[UInt8]]? {
        guard !byName else { return nil }
        byName = true
        defer { table = nil }
        guard let table else { return [] }
        return (0..<JSONKeyTable.keysMax).compactMap { index in
            guard written & (1 << UInt64(index)) != 0, let key = table[index] else { return nil }
            return Array(UnsafeBufferPointer(start: key.bytes, count: key.count))
        }
    }
}
