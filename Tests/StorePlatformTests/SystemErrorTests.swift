import Glibc
import StorePlatform
import Testing

struct SystemErrorTests {
    @Test func `an error has the system's text, or its number if there is none`() {
        #expect(SystemError.text(of: ENOENT) == "No such file or directory")
        #expect(SystemError.text(of: 99_999).contains("99999"))
    }
}
