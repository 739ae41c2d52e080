import Foundation

/// Writes accepted texts into the folder that `FUZZ_ACCEPTED` names, for a check by Python in one
/// run.
struct Accepted {
    static let shared = ProcessInfo.processInfo.environment["FUZZ_ACCEPTED"].map {
        Accepted(folder: URL(filePath: $0))
    }

    private let folder: URL

    func add(_ bytes: UnsafeRawBufferPointer) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let file = folder.appending(path: String(hash, radix: 16))
        guard (try? Data(bytes).write(to: file)) != nil else {
            preconditionFailure("\(file.path()) can't be written.")
        }
    }
}
