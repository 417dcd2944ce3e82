// SPDX-License-Identifier: BSD-2-Clause

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;

/**
 * Names FILE: threads with names of every kind, half of them making garbage so that the heap moves all the time. FILE gets a line
 * for each, "tid TAB name" by what the thread itself and the kernel say, once all run. Never ends.
 */
final class Names {
	private static final int THREADS = 40;
	private static final Map<Long, String> truth = new ConcurrentSkipListMap<>();
	private static final CountDownLatch started = new CountDownLatch(THREADS);
	private static volatile Object sink;

	private Names() {}

	public static void main(String[] arguments) throws Exception {
		Path file = Path.of(arguments[0]), unfinished = Path.of(arguments[0] + ".new");
		StringBuilder lines = new StringBuilder();

		note();
		for (int i = 0; i < THREADS; i++)
			start(i);
		started.await();
		truth.forEach((tid, name) -> lines.append(tid).append('\t').append(name).append('\n'));
		Files.write(unfinished, lines.toString().getBytes(StandardCharsets.UTF_8));
		Files.move(unfinished, file);
		Thread.sleep(Long.MAX_VALUE);
	}

	private static String nameOf(int i) {
		switch (i % 6) {
		case 0: return "http-nio-8080-exec-" + i + " of a long name";
		case 1: return "w" + i;
		case 2: return "Gr\u00f6\u00dfe-\u00dcbertragung-" + i; // Latin-1
		case 3: return "\u65e5\u672c\u8a9e\u306e\u30b9\u30ec\u30c3\u30c9\u540d-" + i; // UTF-16
		case 4: return "\ud83d\ude00 beyond the BMP " + i;
		default: return "exactly15chars" + i % 10;
		}
	}

	private static void start(int i) {
		Thread thread = new Thread(() -> run(i % 2 == 0), nameOf(i));

		thread.setDaemon(true);
		thread.start();
	}

	private static void run(boolean busy) {
		List<byte[]> kept = new ArrayList<>();

		note();
		started.countDown();
		while (true) {
			for (int i = 0; busy && i < 300; i++) {
				sink = "garbage of thread " + i + Thread.currentThread().getName();
				kept.add(new byte[i * 7]);
			}
			if (kept.size() > 5000)
				kept.clear();
			sleep(busy ? 1 : 20);
		}
	}

	private static void note() {
		try {
			String tid = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();

			truth.put(Long.valueOf(tid), Thread.currentThread().getName());
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void sleep(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
