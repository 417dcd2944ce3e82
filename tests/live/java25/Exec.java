// SPDX-License-Identifier: BSD-2-Clause
/**
 * A JVM that becomes another program: execv(2) of `sleep 5`, by the foreign function interface of JDK 22 and later. Argument: seconds
 * until then.
 */
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

public class Exec {
	public static void main(String[] args) throws Throwable {
		Linker linker = Linker.nativeLinker();
		MethodHandle execv = linker.downcallHandle(
			linker.defaultLookup().find("execv").orElseThrow(),
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));

		Thread.sleep(Long.parseLong(args[0]) * 1000);
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment path = arena.allocateFrom("/bin/sleep");
			MemorySegment words = arena.allocate(ValueLayout.ADDRESS, 3);

			words.setAtIndex(ValueLayout.ADDRESS, 0, path);
			words.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom("5"));
			words.setAtIndex(ValueLayout.ADDRESS, 2, MemorySegment.NULL);
			int result = (int) execv.invoke(path, words);

			System.out.println("execv returned " + result);
		}
	}
}
