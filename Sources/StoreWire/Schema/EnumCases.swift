/// The cases of an enum without payloads, also of one that is not `CaseIterable`.
///
/// The compiler synthesizes `CodingKeys` and raw enums, but does not list their cases. The runtime
/// has their number: it is in the type's descriptor, whose layout is part of
/// Swift's stable ABI (swift/include/swift/ABI/Metadata.h, `TargetEnumDescriptor`).
enum EnumCases {
    /// All values of the type in the order of declaration, or `nil` when it is no such enum.
    static func all<Value>(of _: Value.Type) -> [Value]? {
        if let iterable = Value.self as? any CaseIterable.Type {
            return listed(iterable) as? [Value]
        }
        guard let count = emptyCasesCount(of: Value.self) else { return nil }
        switch MemoryLayout<Value>.size {
        case 0 where count == 1:
            // Safety: a type of no bytes has one value, and reading it reads nothing.
            return [unsafeBitCast((), to: Value.self)]
        case 1 where (2...256).contains(count):
            // Safety: an enum of one byte whose cases all lack payloads holds the index of its
            // case, so each byte below the number of cases is a value. Such an enum is trivial:
            // nothing is retained.
            return (0..<count).map { unsafeBitCast(UInt8($0), to: Value.self) }
        default:
            return nil
        }
    }

    /// Whether a type is an enum none of whose cases has a payload.
    static func isPlain(_ type: Any.Type) -> Bool { emptyCasesCount(of: type) != nil }

    private static func listed<Value: CaseIterable>(_: Value.Type) -> [Value] {
        Array(Value.allCases)
    }

    /// How many cases an enum has; `nil` for any other type.
    static func count(of type: Any.Type) -> Int? {
        counts(of: type).map { $0.payload + $0.empty }
    }

    /// How many cases an enum has, when none of them has a payload; `nil` for any other type.
    private static func emptyCasesCount(of type: Any.Type) -> Int? {
        guard let counts = counts(of: type), counts.payload == 0 else { return nil }
        return counts.empty
    }

    private static func counts(of type: Any.Type) -> (payload: Int, empty: Int)? {
        #if _ptrauth(_arm64e)
            // The descriptor's address is signed there; the callers' fallback is good enough.
            return nil
        #else
            // Safety: a metatype is the address of the type's metadata, which is never freed. Its
            // first word is the kind; only where that is enum is the second word read, which
            // then is the address of an enum's descriptor, and the descriptor's own kind is
            // checked before its counts are read.
            let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard metadata.load(as: UInt.self) == metadataKindEnum,
                let descriptor = metadata.load(
                    fromByteOffset: MemoryLayout<UInt>.size,
                    as: UnsafeRawPointer?.self
                )
            else { return nil }
            let flags = descriptor.load(as: UInt32.self)
            guard flags & 0x1F == contextKindEnum else { return nil }
            let payloadCases = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
            let emptyCases = descriptor.load(fromByteOffset: 24, as: UInt32.self)
            return (Int(payloadCases), Int(emptyCases))
        #endif
    }

    /// `MetadataKind::Enum`: not on the heap (0x200), and the second of its sort.
    private static let metadataKindEnum: UInt = 0x201
    /// `ContextDescriptorKind::Enum`.
    private static let contextKindEnum: UInt32 = 18
}
