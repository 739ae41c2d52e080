typealias EncodingStatePointer = UnsafeMutablePointer<EncodingState>

/// What an encoder and all its containers share: the output, and which containers are open.
///
/// Containers hold a pointer to it and plain numbers, so that copying them costs no reference
/// counting. A container is closed by the next write outside it, not by its owner: `Codable` never
/// says when one is done with.
struct EncodingState: ~Copyable {
    /// One open container.
    struct Level {
        var serial: UInt32
        var closer: UInt8
        /// Where its opening bracket stands.
        var start: Int
    }

    var output = JSONOutput(capacity: 512)
    var keys = JSONKeyTables()
    var plans = EncodingPlans()
    private(set) var levels: UnsafeMutablePointer<Level>
    private(set) var depth = 0
    private var serial: UInt32 = 0
    /// Whether something was written into a container that had been closed already.
    var interleaved = false
    /// Whether a part could not be written. A type whose own code passes over that has left half a
    /// member in the output.
    var failed = false
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    init() {
        levels = .allocate(capacity: JSONLimits.depthCeiling + 1)
    }

    deinit {
        levels.deallocate()
        keys.deallocate()
    }

    mutating func begin(
        adapters: [ObjectIdentifier: JSONAdapter],
        userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        plans.use(adapters)
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
        restart()
    }

    mutating func restart() {
        output.truncate()
        depth = 0
        interleaved = false
        failed = false
    }

    mutating func end(keeping bytesMax: Int) {
        output.truncate(to: 0, keeping: bytesMax)
    }

    /// Opens a container at the end of the output. Answers its serial number.
    @inline(__always)
    mutating func open(_ opener: UInt8, _ closer: UInt8) -> UInt32 {
        serial &+= 1
        // Beyond the bound nothing is opened; `encode` has refused to go that deep before.
        guard depth < JSONLimits.depthCeiling else {
            interleaved = true
            return serial
        }
        levels[depth] = Level(serial: serial, closer: closer, start: output.count)
        depth &+= 1
        output.byte(opener)
        return serial
    }

    /// Closes what is open deeper than `level`.
    @inline(__always)
    mutating func close(to level: Int) {
        while depth > level {
            depth &-= 1
            output.byte(levels[depth].closer)
        }
    }

    /// Makes the container of this level and serial the one to write to, with a comma if it needs
    /// one. Answers `false` where it was closed already.
    @inline(__always)
    mutating func enter(_ level: UInt32, _ serial: UInt32) -> Bool {
        let index = Int(level) &- 1
        guard index < depth, levels[index].serial == serial else {
            interleaved = true
            return false
        }
        close(to: Int(level))
        if output.count &- 1 != levels[index].start { output.byte(UInt8(ascii: ",")) }
        return true
    }

    /// The container that was opened at this place of the output and is still open, if there is one.
    @inline(__always)
    func opened(at start: Int, above level: Int, closer: UInt8) -> UInt32? {
        guard depth > level, levels[level].start == start, levels[level].closer == closer else {
            return nil
        }
        return levels[level].serial
    }

    /// Where the output ends, as a JSON Pointer. Reads what is written so far; for errors only.
    var pointer: String {
        codingPath.pointer
    }

    /// The same as coding keys.
    var codingPath: [any CodingKey] {
        JSONPrefix.path(of: output.bytes)
    }
}

extension EncodingStatePointer {
    /// Writes a value, whatever it is.
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        switch pointee.plans.plan(for: T.self) {
        case .plain: try encodePlain(value)
        case .string: pointee.output.string(unsafeBitCast(value, to: String.self))
        case .int: pointee.output.integer(unsafeBitCast(value, to: Int.self))
        case .bool: pointee.output.raw(unsafeBitCast(value, to: Bool.self) ? "true" : "false")
        case .double: try floating(unsafeBitCast(value, to: Double.self))
        case .other(let index): try encodeOther(value, pointee.plans.others[index])
        }
    }

    @inline(__always)
    private func encodePlain<T: Encodable>(_ value: T) throws {
        let start = pointee.output.count
        let level = pointee.depth
        guard level < JSONLimits.depthCeiling else {
            pointee.failed = true
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "The value nests deeper than \(JSONLimits.depthCeiling)."
                )
            )
        }
        do {
            try value.encode(to: EncodingPosition(state: self, start: start, level: UInt32(level)))
        } catch {
            pointee.failed = true
            throw error
        }
        if pointee.output.count == start {
            // A type that encodes nothing is an object without members.
            pointee.output.raw("{}")
        } else {
            pointee.close(to: level)
        }
    }

    @inline(never)
    private func encodeOther<T: Encodable>(_ value: T, _ plan: EncodingPlans.Other) throws {
        switch plan {
        case .adapter(let adapter):
            switch adapter.encode(value) {
            case .string(let text): pointee.output.string(text)
            case .number(let literal): pointee.output.raw(literal.utf8)
            case nil:
                pointee.failed = true
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: [],
                        debugDescription: "This \(T.self) has no JSON form: \(value)."
                    )
                )
            }
        case .unordered(let type):
            try type.encodeSorted(value, to: self)
        }
    }

    /// Writes a number that may be infinite, which JSON has no form for.
    @inline(__always)
    func floating<F: BinaryFloatingPoint & LosslessStringConvertible>(_ value: F) throws {
        guard pointee.output.floating(value) else {
            pointee.failed = true
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "JSON has no number for \(value)."
                )
            )
        }
    }
}
