import Glibc
import StoreActionCatalog
import StoreCore
import StoreJSON
import StorePlatform
import StoreTelemetry
import Synchronization

/// A module's shared value that the program keeps in a file.
struct MirroredValue<State: Codable & Equatable & Sendable>: Sendable {
    let module: String
    let file: SharedFile
    /// Refuses a module whose value can't be kept in a file.
    let check: @Sendable () throws(ConfigurationError) -> Void
    /// Observes a Core, and hands each new value to the writer. The writer gets the first observed
    /// value only if `writesFirst` is true.
    let attach: @Sendable (Core<State>, SharedFileWriter, _ writesFirst: Bool) -> Void
    /// Reads the file, and returns the action that begins a store without a history. Returns `nil`
    /// if the file is missing or contains null, or if the program makes no action from the value.
    let makeFirstAction: @Sendable () throws(ConfigurationError) -> (any Action)?
    /// The source file and the line of the declaration.
    let declarationLocation: String

    /// The maximum size of the file, in bytes. A store can't begin with a larger file.
    static var bytesMax: Int { 16 << 20 }
}

extension MirroredValue where State: RootState {
    init<M: SharingModule>(
        _ module: M.Type,
        in file: SharedFile,
        at place: String,
        beginning: (@Sendable (M.SharedValue) -> any Action)?
    ) {
        let mount = State.modules.first { $0.name == M.name }
        self.module = M.name
        self.file = file
        self.declarationLocation = place
        check = { () throws(ConfigurationError) in
            func error(_ reason: String) -> ConfigurationError {
                ConfigurationError(
                    "can't keep the shared value of '\(M.name)' in \(file.path): \(reason)"
                )
            }
            guard let mount, mount.module is M else {
                throw error("the root state has no such module; mount it in \(State.self).modules")
            }
            guard mount.slicePlace.ownership == .everybody else {
                throw error(
                    "each session has a slice of its own there; only a shared slice can be kept in "
                        + "a file"
                )
            }
            guard mount.slicePlace.cardinality != .instances else {
                throw error(
                    "the module has instances; only a module with one slice can be kept in a file"
                )
            }
        }
        attach = { core, writer, writesFirst in
            guard let mount else { return }
            let last = LastValue<M.SharedValue>()
            core.observe { state in
                let value = mount.boundModule?.sharedValue(state, with: .only) as? M.SharedValue
                let isFirst = !last.hasBeenSet
                guard last.replace(by: value), writesFirst || !isFirst else { return }
                writer.enqueue(value)
            }
        }
        makeFirstAction = { () throws(ConfigurationError) in
            guard let beginning, let value: M.SharedValue = try Self.read(file) else { return nil }
            return beginning(value)
        }
    }

    /// Returns the value in the file, or `nil` if the file is missing or contains null. Throws if
    /// the file can't be read, or has other content: the next change would overwrite that content.
    private static func read<Value: Decodable>(
        _ file: SharedFile
    ) throws(ConfigurationError) -> Value? {
        var status = stat()
        if stat(file.path, &status) != 0, errno == ENOENT { return nil }
        guard let bytes = FileReader.read(file.path, bytesMax: bytesMax), bytes.count <= bytesMax
        else {
            throw ConfigurationError(
                "the store can't begin with '\(file.path)', which can't be read; make it readable, "
                    + "or move it away; allowed are \(bytesMax) bytes"
            )
        }
        do {
            let limits = JSONLimits(bytesMax: bytesMax, depthMax: JSONLimits.depthCeiling)
            return try JSONDecoder(limits: limits).decode(Value?.self, from: bytes)
        } catch {
            let place = error.isParseError ? "byte \(error.offset)" : error.pointer
            throw ConfigurationError(
                "the store can't begin with '\(file.path)': "
                    + "\(place.isEmpty ? "" : place + ": ")\(error.messageForOperators); "
                    + "correct it, or move it away"
            )
        }
    }
}

/// The last observed value. Only the Core's thread may use this object.
private final class LastValue<Value: Equatable & Sendable>: @unchecked Sendable {
    // Safety: the Core calls its observers one after the other, on its own thread.
    private var value: Value?
    private(set) var hasBeenSet = false

    /// Stores a value. Returns true if the new value is the first value, or differs from the last
    /// observed value.
    func replace(by new: Value?) -> Bool {
        defer {
            value = new
            hasBeenSet = true
        }
        return !hasBeenSet || value != new
    }
}
