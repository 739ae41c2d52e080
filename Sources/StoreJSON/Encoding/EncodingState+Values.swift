extension EncodingError {
    static func invalid(_ value: Any, _ message: String) -> Self {
        .invalidValue(value, Context(codingPath: [], debugDescription: message))
    }

    static func tooDeep(_ value: Any) -> Self {
        invalid(value, "The value nests deeper than \(JSONLimits.depthCeiling), or encodes itself.")
    }

    static func notFinite(_ number: some BinaryFloatingPoint) -> Self {
        invalid(number, "JSON has no number for \(number).")
    }
}

extension EncodingStatePointer {
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        switch pointee.plans.plan(for: T.self) {
        case .ownCodable, .textEnum: try encodePlain(value)
        case .string: pointee.output.string(unsafeBitCast(value, to: String.self))
        case .int: pointee.output.integer(unsafeBitCast(value, to: Int.self))
        case .bool: pointee.output.bool(unsafeBitCast(value, to: Bool.self))
        case .double: try writeFloatingPoint(unsafeBitCast(value, to: Double.self))
        case .adapter(let place): try encode(value, with: pointee.plans.adapters[place])
        case .collection(let type): try type.encode(value, to: self)
        }
    }

    @inline(__always)
    private func encodePlain<T: Encodable>(_ value: T) throws {
        let start = pointee.output.count
        let level = pointee.depth
        let calls = pointee.callDepth
        guard level < JSONLimits.depthCeiling, calls < pointee.callDepthMax else {
            throw depthError(of: value)
        }
        pointee.callDepth = calls &+ 1
        defer { pointee.callDepth = calls }
        try value.encode(to: ValueEncoder(state: self, startOffset: start, level: UInt32(level)))
        pointee.removeFailedValue()
        if pointee.output.count == start {
            // If a type encodes nothing, write an object without members.
            pointee.output.raw("{}")
        } else {
            pointee.closeContainers(deeperThan: level)
        }
    }

    @inline(never)
    private func depthError<T>(of value: T) -> EncodingError {
        pointee.callDepthMax = 0
        return .tooDeep(value)
    }

    @inline(never)
    private func encode<T>(_ value: T, with adapter: JSONAdapter) throws {
        switch adapter.encode(value) {
        case .string(let text): pointee.output.string(text)
        case .number(let literal): pointee.output.raw(literal.utf8)
        case nil:
            throw EncodingError.invalid(value, "This \(T.self) has no JSON form: \(value).")
        }
    }

    /// Writes a number. Throws an error for an infinity or NaN, which JSON cannot represent.
    @inline(__always)
    func writeFloatingPoint(_ value: some FloatingNumber) throws {
        guard pointee.output.writeIfFinite(value) else { throw EncodingError.notFinite(value) }
    }
}

// Writing the values of keys and elements. `mark` is the result of `EncodingState.enter`. If `mark`
// is -1, these functions write nothing.

extension EncodingStatePointer {
    @inline(__always)
    func encode<T: Encodable>(_ value: T, at mark: Int, _ level: UInt32) throws {
        guard mark >= 0 else { return }
        do {
            try encode(value)
        } catch {
            pointee.noteFailedValue(from: mark, level)
            throw error
        }
    }

    @inline(__always)
    func writeFloatingPoint(_ value: some FloatingNumber, at mark: Int, _ level: UInt32) throws {
        if mark >= 0, !pointee.output.writeIfFinite(value) {
            pointee.noteFailedValue(from: mark, level)
            throw EncodingError.notFinite(value)
        }
    }

    func nestedEncoder(at mark: Int, _ level: UInt32) -> ValueEncoder {
        ValueEncoder(state: self, startOffset: mark < 0 ? -1 : pointee.output.count, level: level)
    }
}
