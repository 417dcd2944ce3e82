// SPDX-License-Identifier: BSD-2-Clause
/**
 * Reads a mapped file here and there; whoever runs it drops the file from the page cache first. Prints `touch FROM_NS TO_NS` for
 * every page. Arguments: seconds file.
 */
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

public class ColdRead {
	private static final int STEP = 1 << 20; // beyond what the kernel reads ahead

	public static void main(String[] args) throws IOException, InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		Thread reader = new Thread(() -> read(Path.of(args[1]), end), "cold-reader");

		reader.start();
		reader.join();
	}

	private static void read(Path path, long end) {
		try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
			MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
			long sum = 0;

			for (int offset = 0; System.nanoTime() < end; offset += STEP) {
				if (offset >= map.capacity())
					offset = offset % STEP + 64 * 4096;
				if (offset >= map.capacity())
					break;
				long from = System.nanoTime();
				sum += map.get(offset);
				long to = System.nanoTime();

				System.out.println("touch " + from + " " + to);
				Thread.sleep(10);
			}
			System.out.println("sum " + sum);
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
