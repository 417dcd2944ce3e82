// SPDX-License-Identifier: BSD-2-Clause
/**
 * A thread that makes the others wait: a counted loop, compiled without safepoint polls under -XX:-UseCountedLoopSafepoints. The
 * main thread asks for thread dumps meanwhile. Arguments: seconds longest-gap-ms.
 */
import java.util.SplittableRandom;

public class LateCounted {
	private static final int ROUNDS = 30_000_000; // some 40 ms
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long gap = args.length > 1 ? Long.parseLong(args[1]) : 80;
		SplittableRandom random = new SplittableRandom(1);
		Thread late = new Thread(() -> run(end), "late-counted");

		late.start();
		while (System.nanoTime() < end) {
			Thread.sleep(random.nextLong(gap)); // any fixed gap may fall in step with the loop
			sink += Thread.getAllStackTraces().size();
		}
	}

	private static void run(long end) {
		for (int i = 0; i < 20_000; i++) // until it is compiled
			sink += loop(100);
		while (System.nanoTime() < end)
			sink += loop(ROUNDS);
	}

	private static long loop(int rounds) {
		long x = 1;

		for (int i = 0; i < rounds; i++)
			x = x * 6364136223846793005L + i;
		return x;
	}
}
