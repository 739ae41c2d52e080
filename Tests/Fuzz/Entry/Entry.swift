import Glibc

/// The targets by the names that `Tests/Fuzz/run` has for them.
private let targets: [String: any (FuzzTarget & SendableMetatype).Type] = [
    "JSON": JSONTarget.self,
    "Fields": FieldsTarget.self,
    "Requests": RequestsTarget.self,
    "Policies": PoliciesTarget.self,
    "Tokens": TokensTarget.self,
    "Journals": JournalsTarget.self,
    "Configurations": ConfigurationsTarget.self,
]

/// The one that the variable `FUZZ_TARGET` names.
// Safety: libFuzzer calls from one thread.
nonisolated(unsafe) private var target: any FuzzTarget = {
    guard let name = variable("FUZZ_TARGET"), let type = targets[name] else {
        fatalError("FUZZ_TARGET is one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return type.init()
}()

/// libFuzzer's entry: https://llvm.org/docs/LibFuzzer.html
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// The value of a variable of the environment.
func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
