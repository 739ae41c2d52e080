import Glibc

/// The process's environment variables.
package enum ProcessEnvironment {
    package static var all: [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(separator: "=", maxSplits: 1)
            if let name = pair.first { found[String(name)] = pair.count > 1 ? String(pair[1]) : "" }
            next += 1
        }
        return found
    }
}
