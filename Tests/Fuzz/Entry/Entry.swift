import Glibc

/// The targets by their names in `Tests/Fuzz/run`.
private let targets: [String: any (FuzzTarget & SendableMetatype).Type] = [
    "JSON": JSONTarget.self,
    "Fields": FieldsTarget.self,
    "Requests": RequestsTarget.self,
    "Policies": PoliciesTarget.self,
    "Tokens": TokensTarget.self,
    "Journals": JournalsTarget.self,
    "Configurations": ConfigurationsTarget.self,
]

/// The target that the variable `FUZZ_TARGET` names. Safety: libFuzzer calls from one thread.
nonisolated(unsafe) private var target: any FuzzTarget = {
    guard let name = variable("FUZZ_TARGET"), let type = targets[name] else {
        fatalError("FUZZ_TARGET is one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return type.init()
}()

/// The entry of libFuzzer: https://llvm.org/docs/LibFuzzer.html
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Returns the value of a variable of the environment.
func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
